//! The files of all layers. Owns where they are and which of them are read; what they come to together,
//! [`super::combine`] knows.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use portcullis_core::policy::{ApprovalPolicy, Policy, Rule};

use super::{
    Central, ConfigError, Configuration, FILE_NAME, Layer, PROJECT_FILE_NAME, Source,
    central::InForce,
    combine::{Combined, combine},
    example::Example,
    kept::{Kept, Named},
    loaded::{Loaded, digest},
    read, received,
    trust::{Standing, Trust},
    users::users,
};
use crate::{
    audit::Entry,
    bundle::Held,
    platform::{self, Directories},
};

/// The files that hold wherever a call runs, and where trust is kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Layers {
    files: Vec<Arc<Loaded>>,
    /// Where they were looked for; those of the environment where nobody said.
    directories: Option<Directories>,
    trust: Option<Trust>,
    /// An option names the user's file. Then a project has a say only where a person trusted it: whoever names a file wants
    /// what it says.
    named: bool,
    /// Rules that allow and stand in no file.
    tried: Vec<Rule>,
    /// The approval policy that somebody put in place while we run.
    confirming: Option<ApprovalPolicy>,
    /// What of a centre is in force, where a file names one.
    central: Option<Arc<InForce>>,
}

/// The file of a project, read and not yet understood.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ProjectFile {
    /// Where it is, without links.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// Whether a person trusted it.
    pub standing: Standing,
    /// Those in the directories above it, the outermost first: they only make things stricter, whoever trusts them.
    pub above: Vec<Self>,
}

impl ProjectFile {
    /// The one of a workspace, where there is one; `state` is where trust is kept.
    ///
    /// # Errors
    /// When it cannot be read or believed.
    pub fn find(workspace: &Path, state: Option<&Path>) -> Result<Option<Self>, ConfigError> {
        Self::find_with(workspace, state.map(Trust::new).as_ref())
    }

    fn find_with(workspace: &Path, trust: Option<&Trust>) -> Result<Option<Self>, ConfigError> {
        let path = workspace.join(PROJECT_FILE_NAME);
        let Some(text) = read::text(&path, Layer::Project, None)? else { return Ok(None) };
        let path =
            fs::canonicalize(workspace).map_or(path, |workspace| workspace.join(PROJECT_FILE_NAME));
        let standing = match trust {
            Some(trust) => trust.standing(&path, &digest(&text)),
            None => Standing::Untrusted,
        };
        Ok(Some(Self { path, text, standing, above: Vec::new() }))
    }

    /// The one that has a say about calls in a workspace, with those above it as far up as the home, or the root of the file system: a repository within a
    /// project drops nothing of what the project says. Where the workspace has none, the next one above stands in for it.
    fn find_around(
        workspace: &Path,
        home: Option<&Path>,
        trust: Option<&Trust>,
    ) -> Result<Option<Self>, ConfigError> {
        let inner = Self::find_with(workspace, trust)?;
        let workspace = platform::real(workspace);
        let home = home.map(platform::real);
        let mut above = Vec::new();
        let is_outside = |folder: &&Path| home.as_deref() != Some(*folder);
        if is_outside(&workspace.as_path()) {
            for folder in workspace.ancestors().skip(1).take_while(is_outside) {
                // What others put where everyone may write is no project's.
                if is_shared_folder(folder) {
                    continue;
                }
                let found = Self::find_with(folder, None)?;
                above.extend(found);
            }
        }
        above.reverse();
        Ok(match inner {
            Some(inner) => Some(Self { above, ..inner }),
            None => above.pop().map(|nearest| Self { above, ..nearest }),
        })
    }

    /// The SHA-256 of its bytes, in hexadecimal digits.
    #[must_use]
    pub fn sha256(&self) -> String {
        digest(&self.text)
    }
}

impl Layers {
    pub(super) fn load(
        named: Option<&Path>,
        directories: &Directories,
        kept: Option<&Kept>,
    ) -> Result<Self, ConfigError> {
        let mut files = Vec::new();
        if let Some(managed) = &directories.managed {
            let path = managed.directory.join(FILE_NAME);
            if let Some(text) = read::text(&path, Layer::Managed, Some(managed))? {
                files.push(Arc::new(Loaded::new(&text, &path, Layer::Managed, true)?));
            }
        }
        let own = directories.configuration.as_deref().map(|directory| directory.join(FILE_NAME));
        if let Some(path) = named.map(Path::to_owned).or(own) {
            let named = if named.is_some() { Named::ByOption } else { Named::ByPlace };
            files.extend(users(&path, named, kept)?);
        }
        let trust = directories.state.as_deref().map(Trust::new);
        let central = take_central(&mut files, directories);
        Ok(Self {
            files,
            central,
            directories: Some(directories.clone()),
            trust,
            named: named.is_some(),
            tried: Vec::new(),
            confirming: None,
        })
    }

    /// Just one file, as the user's.
    pub(super) fn of_text(text: &str, path: &Path) -> Result<Self, ConfigError> {
        let file = Loaded::new(text, path, Layer::User, true)?;
        Ok(Self { files: vec![Arc::new(file)], ..Self::default() })
    }

    /// The file of the project around a workspace, where it has a say.
    pub(super) fn project(&self, workspace: &Path) -> Result<Option<ProjectFile>, ConfigError> {
        let directories = self.directories.as_ref();
        let home = directories.and_then(|it| it.account.as_deref().or(it.home.as_deref()));
        let file = ProjectFile::find_around(workspace, home, self.trust.as_ref())?;
        if !self.named {
            return Ok(file);
        }
        let file = file.filter(|file| file.standing == Standing::Trusted);
        Ok(file.map(|file| ProjectFile { above: Vec::new(), ..file }))
    }

    /// With the file of a project.
    pub(super) fn with_project(&self, file: &ProjectFile) -> Result<Self, ConfigError> {
        let trusted = file.standing == Standing::Trusted;
        let mut loaded = Loaded::new(&file.text, &file.path, Layer::Project, trusted)?;
        loaded.source.doubt = match &file.standing {
            Standing::Trusted | Standing::Untrusted => None,
            Standing::Changed => Some("it has changed since it was trusted".to_owned()),
            Standing::Doubtful(reason) => Some(reason.clone()),
        };
        let mut layers = self.clone();
        layers.files.retain(|file| file.source.layer != Layer::Project);
        for file in &file.above {
            let outer = Loaded::new(&file.text, &file.path, Layer::Project, false)?;
            layers.files.push(Arc::new(outer));
        }
        layers.files.push(Arc::new(loaded));
        Ok(layers)
    }

    /// Where they were looked for.
    pub(super) fn directories(&self) -> Directories {
        self.directories.clone().unwrap_or_else(Directories::from_environment)
    }

    /// With more rules that allow.
    pub(super) fn allowing(&self, rules: impl IntoIterator<Item = Rule>) -> Self {
        let mut layers = self.clone();
        layers.tried.extend(rules);
        layers
    }

    /// Under another bundle of the centre, as if it were in force and fresh.
    pub(super) fn under(&self, held: &Held) -> Result<Self, String> {
        let Some(now) = &self.central else { return Ok(self.clone()) };
        let mut layers = self.clone();
        layers.files.retain(|file| file.source.layer != Layer::Central);
        let files = received::loaded(held, &now.store)?;
        put_in_place(&mut layers.files, files);
        let held = Some(Held { files: Vec::new(), ..held.clone() });
        let (stale, trouble) = (None, Vec::new());
        layers.central = Some(Arc::new(InForce { held, stale, trouble, ..InForce::clone(now) }));
        Ok(layers)
    }

    /// By what is kept of the centre now; nothing where that is what holds. What cannot be read whole takes the place of nothing: the bundle that holds goes on,
    /// for as long as it is fresh.
    pub(super) fn renewed(&self, now: jiff::Timestamp) -> Option<Self> {
        let before = self.central.as_deref()?;
        let (mut after, bundle) = received::in_force(&before.central, before.store.clone(), now);
        let mut layers = self.clone();
        let is_whole = after.held.is_some() && after.trouble.is_empty();
        if is_whole || before.held.is_none() {
            layers.files.retain(|file| file.source.layer != Layer::Central);
            put_in_place(&mut layers.files, bundle);
        } else {
            after.held.clone_from(&before.held);
            after.stale = received::stale(&after.central, after.held.as_ref(), now);
        }
        let is_same = (&before.held, &before.stale, &before.trouble)
            == (&after.held, &after.stale, &after.trouble);
        layers.central = Some(Arc::new(after));
        (!is_same).then_some(layers)
    }

    /// With another approval policy.
    pub(super) fn confirming(&self, policy: ApprovalPolicy) -> Self {
        Self { confirming: Some(policy), ..self.clone() }
    }

    /// What they come to.
    pub(super) fn configuration(self) -> Configuration {
        let mut configuration = Configuration::default();
        if !self.files.is_empty() {
            let files = self.files.iter().map(|file| (&file.source, &file.part));
            let Combined {
                policy,
                audit,
                analyzers,
                hook,
                gateway,
                monitor,
                reads_files,
                network,
                guardian,
                classifier,
                contracts,
                server_contracts,
                sandbox,
                mcp,
                serve,
                team,
                chat,
                trials,
                snapshots,
                security_policy,
                account,
            } = combine(files, self.central.as_deref());
            let mut policy_id = policy_id(&account.sources);
            if let Some(central) = &self.central {
                policy_id.push_str(&format!(", {}", central.id()));
            }
            let layers = Self::default();
            configuration = Configuration {
                policy,
                policy_id,
                audit,
                analyzers,
                hook,
                gateway,
                monitor,
                reads_files,
                network,
                guardian,
                classifier,
                contracts,
                server_contracts,
                sandbox,
                mcp,
                serve,
                team,
                chat,
                trials,
                snapshots,
                security_policy,
                central: self.central.clone(),
                account,
                layers,
            };
        }
        if !self.tried.is_empty() || self.confirming.is_some() {
            let mut options = configuration.policy.options();
            options.allow.extend(self.tried.iter().cloned());
            if let Some(policy) = self.confirming {
                options.confirmation = policy.confirmation();
                configuration.policy_id.push_str(&format!(", {policy}"));
            }
            configuration.policy = Policy::new(options);
        }
        Configuration { layers: self, ..configuration }
    }

    /// What the record is to say of the user's file.
    pub(super) fn noted(&self) -> Option<Entry> {
        self.files.iter().find_map(|file| file.noted.clone())
    }

    /// Every example, with the file that it stands in.
    pub(super) fn examples(&self) -> impl Iterator<Item = (&Source, &Example)> {
        self.files
            .iter()
            .flat_map(|file| file.part.examples.iter().map(|example| (&file.source, example)))
    }
}

/// Whether everyone may write into a directory, and remove only what is theirs, as into `/tmp`.
fn is_shared_folder(folder: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        fs::metadata(folder).is_ok_and(|found| found.mode() & 0o1002 == 0o1002)
    }
    #[cfg(not(unix))]
    {
        let _ = folder;
        false
    }
}

/// Puts the files of the centre that a file names behind the managed one. The most general file that names one decides.
fn take_central(files: &mut Vec<Arc<Loaded>>, directories: &Directories) -> Option<Arc<InForce>> {
    let named = |file: &Arc<Loaded>| file.part.central.clone().map(|one| (one, file.source.layer));
    let trusted = files.iter().filter(|file| file.source.trusted).find_map(named);
    // A centre that only a changed file names may be anybody's: what it makes stricter holds.
    let (central, layer): (Central, Layer) = trusted.or_else(|| {
        let (central, layer) = files.iter().find_map(named)?;
        Some((Central { may_loosen: Vec::new(), ..central }, layer))
    })?;
    let store = received::store_of(layer, directories)?;
    let (in_force, bundle) = received::in_force(&central, store, jiff::Timestamp::now());
    put_in_place(files, bundle);
    Some(Arc::new(in_force))
}

fn put_in_place(files: &mut Vec<Arc<Loaded>>, bundle: Vec<Arc<Loaded>>) {
    let managed = files.iter().take_while(|file| file.source.layer == Layer::Managed).count();
    files.splice(managed..managed, bundle);
}

/// The hash of the file where there is one that counts whole, so that `sha256sum` gives it too; else the hash of a line for each
/// file: its layer, its hash, and `untrusted` where it counts in part.
fn policy_id(sources: &[Source]) -> String {
    if let [only] = sources
        && only.trusted
    {
        return format!("sha256:{}", only.sha256);
    }
    let mut lines = String::new();
    for Source { layer, sha256, trusted, .. } in sources {
        let rest = if *trusted { "" } else { " untrusted" };
        lines.push_str(&format!("{} {sha256}{rest}\n", layer.name()));
    }
    format!("sha256:{}", digest(&lines))
}
