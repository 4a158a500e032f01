//! Rules on machines that are started and cost money until somebody stops them. Owns which commands start some, and when they are many
//! or of the largest kinds.

use super::{Hit, Rule, Scene, Shelf, When, effects::run, pattern};
use crate::{
    effect::{Effect, Kinds},
    programs::Options,
    risk::Severity,
};

pub(super) static SHELF: Shelf = Shelf {
    programs: &[
        "aws",
        "az",
        "doctl",
        "eksctl",
        "gcloud",
        "hcloud",
        "linode-cli",
        "openstack",
        "scw",
        "vultr-cli",
    ],
    rules: RULES,
};

static RULES: &[Rule] = &[
    Rule {
        id: "cloud.compute.start",
        message: "machines are started that cost money until somebody stops them",
        remedy: "see what they cost, and name who stops them",
        when: When::Command(STARTS),
        fires: &[
            "aws ec2 run-instances --image-id ami-1 --instance-type t3.micro",
            "gcloud compute instances create web-1",
            "az vm create -n web -g g --image Ubuntu2204",
        ],
        quiet: &["aws ec2 describe-instances", "gcloud compute instances list", "az vm list"],
        ..Rule::CHANGE
    },
    Rule {
        id: "cloud.compute.start-many",
        severity: Severity::High,
        message: "many machines, or very large ones, are started: thousands a day until somebody stops them",
        remedy: "start one small machine, and let a person ask for more",
        when: When::Effect(Kinds::RUN, starts_much),
        fires: &[
            "aws ec2 run-instances --image-id ami-1 --instance-type p4d.24xlarge --count 20",
            "aws ec2 run-instances --image-id ami-1 --instance-type t3.micro --count 50",
            "gcloud compute instances create x --machine-type a2-megagpu-16g",
            "az vm create -n x -g g --size Standard_ND96asr_v4",
        ],
        quiet: &[
            "aws ec2 run-instances --image-id ami-1 --instance-type t3.micro --count 2",
            "gcloud compute instances create x --machine-type e2-small",
            "aws ec2 run-instances --instance-type p4d.24xlarge --dry-run",
        ],
        ..Rule::CHANGE
    },
];

/// Commands that start machines.
const STARTS: &[&str] = &[
    "aws autoscaling create-auto-scaling-group|set-desired-capacity",
    "aws ec2 create-fleet|create-instances|request-spot-fleet|request-spot-instances|run-instances",
    "aws eks create-cluster|create-nodegroup",
    "aws elasticache create-cache-cluster|create-replication-group",
    "aws emr create-cluster|run-job-flow",
    "aws opensearch create-domain",
    "aws rds create-db-cluster|create-db-instance",
    "aws redshift create-cluster",
    "aws sagemaker create-endpoint|create-notebook-instance|create-training-job",
    "az aks|vm|vmss create",
    "doctl compute droplet create",
    "doctl databases|kubernetes … create",
    "eksctl create cluster|nodegroup",
    "gcloud compute instances|tpus … create",
    "gcloud container|dataproc clusters create",
    "gcloud sql instances create",
    "hcloud server create",
    "linode-cli linodes create",
    "openstack server create",
    "scw instance server create",
    "vultr-cli instance create",
];

/// Options that name a kind of machine.
const SIZES: &[&str] = &["--instance-type", "--machine-type", "--size", "--type", "--accelerator"];

/// Options that say how many.
const COUNTS: &[&str] =
    &["--count", "--max-count", "--min-count", "--desired-capacity", "--num-nodes", "--nodes"];

/// Both.
const VALUED: &[&str] = &[
    "--accelerator",
    "--count",
    "--desired-capacity",
    "--instance-type",
    "--machine-type",
    "--max-count",
    "--min-count",
    "--nodes",
    "--num-nodes",
    "--size",
    "--type",
];

/// How many machines are many.
const MANY: u32 = 10;

fn starts_much(effect: &Effect, _: &Scene<'_>) -> Option<Hit> {
    let run = run(effect)?;
    let mut shapes = STARTS.iter().filter(|shape| pattern::names(shape, &run.program)).peekable();
    // Nearly every program is another, and need not be read for it.
    shapes.peek()?;
    let command = pattern::Command::new(run);
    if !shapes.any(|shape| command.has_shape(shape)) {
        return None;
    }
    let options = Options::new(&run.arguments, VALUED);
    let is_large = options.values_of(SIZES).any(|size| size.text.as_known().is_some_and(is_large));
    let are_many = options.values_of(COUNTS).any(|count| {
        let known = count.text.as_known().unwrap_or_default();
        known.rsplit(':').next().and_then(|count| count.parse::<u32>().ok()) >= Some(MANY)
    });
    (is_large || are_many).then(Hit::default)
}

/// Whether a kind of machine has accelerators or is one of the largest. Sources: the pages of instance types of EC2, Compute Engine
/// and Azure, whose families are named before the size.
fn is_large(kind: &str) -> bool {
    const FAMILIES: &[&str] = &[
        "a2-",
        "a3-",
        "a4-",
        "dl1.",
        "g4dn.",
        "g5.",
        "g6.",
        "g6e.",
        "inf1.",
        "inf2.",
        "m1-",
        "m2-",
        "m3-",
        "ml.g",
        "ml.p",
        "nvidia-",
        "p2.",
        "p3.",
        "p4d.",
        "p4de.",
        "p5.",
        "p5e.",
        "p5en.",
        "p6-",
        "standard_m",
        "standard_nc",
        "standard_nd",
        "standard_nv",
        "trn1.",
        "trn2.",
        "u-",
    ];
    let lower = kind.to_ascii_lowercase();
    let size = lower.rsplit('.').next().unwrap_or_default();
    let times = size.split("xlarge").next().and_then(|times| times.parse::<u32>().ok());
    FAMILIES.iter().any(|family| lower.starts_with(family))
        || size.starts_with("metal")
        || size.ends_with("xlarge") && times >= Some(16)
}
