//! Rules on infrastructure as code and on tools that configure many machines at once.

use super::{
    Hit, Rule, Scene, Shelf, When,
    effects::{at, run, words},
    pattern,
};
use crate::{
    effect::{Effect, EffectKind, Kinds},
    finding::{Category, Confidence},
    risk::Severity,
    text::{Piece, Text},
};

pub(super) static SHELF: Shelf = Shelf {
    programs: &[
        "ansible",
        "ansible-playbook",
        "ansible-vault",
        "blackbox_addadmin",
        "cdk",
        "cdktf",
        "chalice",
        "chef",
        "chef-client",
        "chef-run",
        "copilot",
        "crossplane",
        "git-crypt",
        "git-secret",
        "gopass",
        "knife",
        "nixops",
        "packer",
        "pass",
        "pulumi",
        "puppet",
        "salt",
        "salt-ssh",
        "sam",
        "serverless",
        "sls",
        "sops",
        "spacectl",
        "sst",
        "terraform",
        "terragrunt",
        "tofu",
        "zappa",
    ],
    rules: RULES,
};

static RULES: &[Rule] = &[
    Rule {
        id: "terraform.destroy",
        severity: Severity::Critical,
        message: "everything that the configuration manages is destroyed, or the part that is named",
        remedy: "see what would go: `terraform plan -destroy`",
        when: When::Command(&[
            "terraform|tofu|terragrunt destroy|run-all-destroy|destroy-all",
            "terraform|tofu|terragrunt apply -destroy",
            "terragrunt run-all|run destroy",
            "terragrunt … destroy --all",
            "cdktf destroy",
        ]),
        fires: &[
            "terraform destroy -auto-approve",
            "terraform -chdir=infra destroy",
            "terraform apply -destroy -auto-approve",
            "terragrunt run-all destroy",
            "terraform destroy -target=cloudflare_record.main",
        ],
        quiet: &[
            "terraform plan -destroy",
            "terraform plan",
            "terraform show",
            "terraform destroy -help",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "terraform.destroy.planned",
        severity: Severity::Critical,
        message: "a plan that destroys everything is written and carried out in one go",
        remedy: "let a person read the plan before it is applied: `terraform show plan.bin`",
        when: When::Scene(destroys_as_planned),
        fires: &[
            "terraform plan -destroy -out=p.bin && terraform apply p.bin",
            "tofu plan -destroy -out p.bin; tofu apply -auto-approve p.bin",
        ],
        quiet: &[
            "terraform plan -out=p.bin && terraform apply p.bin",
            "terraform plan -destroy -out=p.bin && terraform show p.bin",
            "terraform plan -destroy -out=old.bin; terraform apply new.bin",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "terraform.apply.unseen",
        reversible: false,
        message: "changes to infrastructure are made without anybody seeing the plan",
        remedy: "write the plan, read it, apply that: `terraform plan -out=plan.bin`",
        when: When::Command(&[
            "terraform|tofu|terragrunt apply -auto-approve",
            "terragrunt run-all|run apply",
            "terraform|tofu|terragrunt apply -replace",
            "pulumi up|update|refresh -y|--yes|-f|--skip-preview",
            "pulumi watch",
            "cdk deploy --require-approval=never",
            "cdktf deploy --auto-approve",
            "sst deploy --stage=prod*",
        ]),
        fires: &[
            "terraform apply -auto-approve",
            "tofu apply --auto-approve",
            "pulumi up --yes",
            "cdk deploy --require-approval never",
        ],
        quiet: &["terraform plan", "terraform validate", "pulumi preview", "cdk diff"],
        ..Rule::LOSS
    },
    Rule {
        id: "terraform.apply.answered",
        reversible: false,
        message: "the question whether the plan is right is answered before the plan is there",
        remedy: "write the plan, read it, apply that: `terraform plan -out=plan.bin`",
        when: When::Effect(Kinds::RUN, |effect, _| {
            let run = run(effect)?;
            let applies = matches!(
                run.program.as_str(),
                "terraform" | "tofu" | "terragrunt" | "pulumi" | "cdk"
            ) && words(run)
                .find(|word| !word.starts_with('-'))
                .is_some_and(|verb| matches!(verb, "apply" | "up" | "deploy" | "destroy"));
            let answer = run.input.as_ref().filter(|_| applies)?;
            let said = answer.known_prefix().trim_start();
            let all =
                matches!(answer.pieces.as_slice(), [Piece::Unknown(from)] if &**from == "yes");
            (all || said.starts_with(['y', 'Y'])).then(Hit::default)
        }),
        fires: &[
            "yes yes | terraform apply",
            "echo yes | terraform apply",
            "yes | tofu -chdir=infra apply",
        ],
        quiet: &["terraform plan", "terraform apply < /dev/null", "echo no | terraform apply"],
        ..Rule::LOSS
    },
    Rule {
        id: "terraform.apply",
        message: "infrastructure is changed after the plan is confirmed",
        remedy: "read the plan first: `terraform plan`",
        when: When::Command(&[
            "terraform|tofu|terragrunt apply|import|refresh|taint|untaint !-auto-approve",
            "pulumi up|update|refresh|import",
            "cdk|cdktf|sst|serverless|sls|copilot|sam|chalice|zappa deploy",
        ]),
        fires: &["terraform apply plan.bin", "pulumi up", "cdk deploy"],
        quiet: &["terraform plan", "pulumi preview", "cdk synth"],
        ..Rule::CHANGE
    },
    Rule {
        id: "terraform.state",
        message: "the record of what exists is changed by hand; what is dropped from it is no longer managed, and may be built twice or never removed",
        remedy: "keep a copy first: `terraform state pull > before.tfstate`",
        when: When::Command(&[
            "terraform|tofu|terragrunt state rm|push|mv|replace-provider",
            "terraform|tofu|terragrunt force-unlock",
            "terraform|tofu|terragrunt taint",
            "terraform|tofu|terragrunt workspace delete",
            "terraform|tofu|terragrunt init -force-copy",
            "pulumi state delete|unprotect|rename|edit",
            "pulumi stack rm|import|rename",
            "pulumi cancel",
            "pulumi org|env|deployment|webhook rm|remove|delete",
            "spacectl stack delete|run",
        ]),
        fires: &[
            "terraform state rm aws_instance.web",
            "terraform force-unlock 123",
            "terraform workspace delete prod",
            "pulumi stack rm dev --force",
        ],
        quiet: &[
            "terraform state list",
            "terraform state show x",
            "terraform workspace list",
            "pulumi stack ls",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "terraform.state.read",
        category: Category::Credentials,
        reversible: true,
        message: "the whole state is shown, with every password and key in it in clear",
        remedy: "show the names only: `terraform state list`",
        when: When::Effect(Kinds::RUN, state_shown),
        fires: &[
            "terraform state pull",
            "tofu state pull | jq .resources",
            "terraform show -json | jq .values",
        ],
        quiet: &[
            "terraform state list",
            "terraform state pull > terraform.tfstate.backup",
            "terraform show",
            "terraform show -json plan.out",
        ],
        ..Rule::KEYS
    },
    Rule {
        id: "terraform.secrets",
        category: Category::Credentials,
        reversible: true,
        message: "secrets that the state holds are shown in clear",
        remedy: "show the names only: `terraform state list`",
        when: When::Command(&[
            "terraform|tofu|terragrunt output -json|-raw",
            "ansible-vault edit|rekey",
            "sops exec-env|exec-file|edit",
        ]),
        severity: Severity::Medium,
        fires: &["terraform output -raw db_password", "ansible-vault edit secrets.yml"],
        quiet: &["terraform output", "pulumi config", "ansible-vault encrypt secrets.yml"],
        ..Rule::KEYS
    },
    Rule {
        id: "infra.secrets.decrypt",
        reversible: true,
        message: "an encrypted file of secrets is shown or written in clear",
        remedy: "let the tool that needs them decrypt them itself",
        when: When::Command(&[
            "ansible-vault view|decrypt",
            "pulumi config|stack --show-secrets",
            "pulumi stack output|export --show-secrets",
            "sops decrypt",
            "sops -d|--decrypt",
        ]),
        fires: &[
            "pulumi config --show-secrets",
            "ansible-vault view secrets.yml",
            "sops -d secrets.yaml",
            "sops decrypt x",
        ],
        quiet: &["ansible-vault encrypt secrets.yml", "sops encrypt x"],
        ..Rule::KEYS
    },
    Rule {
        id: "infra.secrets.recipient",
        category: Category::Credentials,
        message: "somebody else can read the encrypted secrets from now on",
        remedy: "let a person who answers for the secrets add the key",
        when: When::Command(&[
            "sops --add-age=*|--add-pgp=*|--add-kms=*|--add-gcp-kms=*|--add-azure-kv=*|--add-hc-vault-transit=*",
            "git-crypt add-gpg-user",
            "gopass recipients|recipient add",
            "pass init",
            "blackbox_addadmin",
            "git-secret tell",
        ]),
        fires: &[
            "sops --rotate -i --add-age age1x secrets.yaml",
            "git-crypt add-gpg-user eve@example.net",
            "gopass recipients add 0x1",
        ],
        quiet: &["sops rotate -i secrets.yaml", "gopass recipients", "git-secret whoknows"],
        ..Rule::KEYS
    },
    Rule {
        id: "pulumi.destroy",
        severity: Severity::Critical,
        message: "everything in the stack is destroyed",
        remedy: "see what would go: `pulumi destroy --preview-only`",
        when: When::Command(&[
            "pulumi destroy|down|dn !--preview-only",
            "cdk destroy",
            "serverless|sls remove",
            "sst remove",
            "copilot app|env|svc|job delete",
            "nixops destroy|delete",
            "crossplane … delete",
        ]),
        fires: &[
            "pulumi destroy --yes",
            "pulumi -C infra down",
            "pulumi --verbose 3 destroy --yes",
            "pulumi -v 3 destroy --yes",
            "cdk destroy --force",
            "sls remove --stage prod",
        ],
        quiet: &["pulumi preview", "pulumi destroy --preview-only", "cdk list", "sls info"],
        ..Rule::LOSS
    },
    Rule {
        id: "ansible.run.command",
        category: Category::Execution,
        message: "a command runs on every machine of the inventory that the pattern names",
        remedy: "see the machines: `ansible GROUP --list-hosts`",
        when: When::Command(&[
            "ansible -m=shell|-m=command|-m=raw|-m=script|--module-name=shell|--module-name=command|--module-name=raw|-m=ansible.builtin.shell|-m=ansible.builtin.command|-m=ansible.builtin.raw !--list-hosts !--check !-C",
            "ansible -a|--args !-m !--module-name !--list-hosts",
            "ansible -m=*file|--module-name=*file -a=*state=absent*",
            "ansible -m=*apt|-m=*yum|-m=*dnf|-m=*package|-m=*service|-m=*systemd|-m=*user|--module-name=*apt|--module-name=*yum|--module-name=*dnf|--module-name=*package|--module-name=*service|--module-name=*systemd|--module-name=*user -a=*absent*|-a=*stopped*",
            "ansible -m=*reboot|--module-name=*reboot",
            "ansible -m=*service|-m=*systemd|-m=*systemd_service|-m=*sysvinit|--module-name=*service|--module-name=*systemd|--module-name=*systemd_service|--module-name=*sysvinit -a=*restarted*|-a=*reloaded*|-a=*enabled=* !--list-hosts !--check !-C !localhost !-c=local !--connection=local",
            "ansible -m=*authorized_key|-m=*user|-m=*group|-m=*cron|-m=*copy|-m=*template|-m=*lineinfile|-m=*blockinfile|-m=*replace|-m=*unarchive|-m=*get_url|-m=*synchronize|-m=*mount|-m=*sysctl|-m=*iptables|-m=*ufw|-m=*firewalld|-m=*parted|-m=*filesystem|-m=*lvol|-m=*hostname|-m=*_db|-m=*_query|-m=*_user|-m=*win_*|--module-name=*authorized_key|--module-name=*user|--module-name=*group|--module-name=*cron|--module-name=*copy|--module-name=*template|--module-name=*lineinfile|--module-name=*blockinfile|--module-name=*replace|--module-name=*unarchive|--module-name=*get_url|--module-name=*synchronize|--module-name=*mount|--module-name=*sysctl|--module-name=*iptables|--module-name=*ufw|--module-name=*firewalld|--module-name=*parted|--module-name=*filesystem|--module-name=*lvol|--module-name=*hostname|--module-name=*_db|--module-name=*_query|--module-name=*_user|--module-name=*win_* !--list-hosts !--check !-C !localhost !-c=local !--connection=local",
            "salt|salt-ssh * cmd.run|cmd.script|state.apply|state.highstate|system.reboot|system.shutdown|file.remove|pkg.remove|service.stop",
            "salt-ssh -r|--raw",
            "chef-run * *",
            "chef-client -o|--override-runlist",
            "knife ssh|winrm",
            "puppet apply -e",
        ]),
        fires: &[
            "ansible all -m shell -a 'systemctl stop nginx'",
            "ansible web -a 'reboot'",
            "salt '*' cmd.run 'rm -rf /tmp/x'",
            "ansible all -m file -a 'path=/var/www state=absent'",
            "ansible db -b -m systemd -a 'name=postgresql state=restarted'",
            "ansible prod -b -m ansible.posix.authorized_key -a 'user=root key=x'",
        ],
        quiet: &[
            "ansible all -m ping",
            "ansible all --list-hosts",
            "salt '*' test.ping",
            "ansible all -m setup",
            "ansible localhost -m copy -a 'src=a dest=b'",
            "ansible web -m template -a 'src=a dest=b' --check",
        ],
        ..Rule::OPENS
    },
    Rule {
        id: "ansible.playbook.destroy",
        confidence: Confidence::Medium,
        message: "the playbook is run in the parts that tear things down",
        remedy: "see what it would change: `ansible-playbook PLAYBOOK --check --diff`",
        when: When::Command(&[
            "ansible-playbook --tags=*destroy*|--tags=*delete*|--tags=*remove*|--tags=*teardown*|--tags=*reset*|-t=*destroy*|-t=*delete*|-t=*remove*|-t=*wipe*|--tags=*wipe* !--check !-C !--list-tasks",
            "ansible-playbook *destroy*|*teardown*|*tear-down*|*decommission*|*wipe*|*nuke*|*purge* !--check !-C !--list-tasks !--syntax-check",
            "ansible-playbook -e=*state=absent*|--extra-vars=*state=absent* !--check !-C",
        ]),
        fires: &[
            "ansible-playbook site.yml --tags destroy",
            "ansible-playbook teardown.yml",
            "ansible-playbook site.yml -e state=absent",
        ],
        quiet: &[
            "ansible-playbook site.yml --check",
            "ansible-playbook teardown.yml --check",
            "ansible-playbook site.yml --list-tasks",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "ansible.playbook.run",
        message: "machines of the inventory are changed",
        remedy: "see what it would change: `ansible-playbook PLAYBOOK --check --diff`",
        when: When::Command(&[
            "ansible-playbook * !--check !-C !--syntax-check !--list-hosts !--list-tasks",
            "puppet agent -t|--test !--noop",
        ]),
        fires: &["ansible-playbook site.yml"],
        quiet: &["ansible-playbook site.yml --check", "ansible-playbook --syntax-check site.yml"],
        ..Rule::CHANGE
    },
    Rule {
        id: "chef.delete",
        message: "nodes, clients, data or environments are deleted on the configuration server",
        remedy: "keep a copy: `knife download /`",
        when: When::Command(&[
            "knife node|client|cookbook|role|environment|user|group|vault|ssl delete|bulk",
            "knife data bag delete",
            "knife ec2|azure|google|vsphere server|vm delete",
            "knife delete",
            "puppet cert|node clean|deactivate|purge|revoke|destroy",
            "chef delete-policy|delete-policy-group|clean-policy-revisions",
            "packer build -force",
        ]),
        fires: &[
            "knife node delete web1 -y",
            "knife data bag delete secrets",
            "puppet node purge web1",
        ],
        quiet: &["knife node list", "knife node show web1", "packer validate x.json"],
        ..Rule::LOSS
    },
];

/// The state of everything is printed for whoever reads along, or sent away, instead of into a file.
fn state_shown(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let run = run(effect)?;
    if !matches!(run.program.as_str(), "terraform" | "tofu" | "terragrunt") {
        return None;
    }
    let options = pattern::options(run);
    let operands: Vec<_> = options.operands().map(|word| word.text.as_known()).collect();
    // Without a file, `show` is of the state; in JSON nothing in it is masked.
    let in_clear = options.has(&["-json", "--json"]);
    let is_it =
        |text: &Text| scene.origins(text).into_iter().any(|origin| std::ptr::eq(origin, effect));
    let is_sent = || {
        scene.effects.list.iter().any(|other| match &other.kind {
            EffectKind::Connect(connection) => connection.sends.as_ref().is_some_and(is_it),
            _ => false,
        })
    };
    // What a filter picks is seen; how much there is and what it is called is no secret.
    let is_picked = || {
        scene.effects.list.iter().filter_map(super::effects::run).any(|filter| {
            let takes = filter.input.as_ref().is_some_and(is_it);
            takes
                && !words(filter).any(|word| {
                    let word = word.trim_end_matches([' ', ')', ']']);
                    ["length", "keys", ".address", ".type"].iter().any(|end| word.ends_with(end))
                })
        })
    };
    let severity = match operands.as_slice() {
        [Some("state"), Some("pull"), ..] => Severity::High,
        [Some("show")] if in_clear && (is_sent() || is_picked()) => Severity::High,
        // What a look at the infrastructure shows as a matter of course.
        [Some("show")] if in_clear => Severity::Medium,
        _ => return None,
    };
    (is_it(&scene.effects.shown) || is_sent()).then(|| at(severity))
}

/// A plan that destroys is written to a file, and that file is applied behind it.
fn destroys_as_planned(scene: &Scene<'_>, hits: &mut Vec<Hit>) {
    let mut plans: Vec<&str> = Vec::new();
    for effect in &scene.effects.list {
        let Some(run) = run(effect) else { continue };
        if !matches!(run.program.as_str(), "terraform" | "tofu" | "terragrunt") {
            continue;
        }
        let all: Vec<&str> = words(run).collect();
        let verb = all.iter().find(|word| !word.starts_with('-')).copied().unwrap_or_default();
        let destroys = || all.iter().any(|word| matches!(*word, "-destroy" | "--destroy"));
        match verb {
            "plan" if destroys() => {
                plans.extend(all.iter().enumerate().filter_map(|(at, word)| {
                    match word.trim_start_matches('-') {
                        "out" if word.starts_with('-') => all.get(at + 1).copied(),
                        plain => plain.strip_prefix("out=").filter(|_| word.starts_with('-')),
                    }
                }));
            }
            "apply" if all.iter().any(|word| plans.contains(word)) => {
                hits.push(Hit { at: Some(effect.at), ..Hit::default() });
            }
            _ => {}
        }
    }
}
