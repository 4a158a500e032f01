//! Libraries of Ruby, Perl and PHP. Owns which card says what the objects of their classes do: most are the same service's client as one
//! of Python or JavaScript, with the same names for what it is told.

use portcullis_syntax::Span;

use super::super::{
    interpreter::Interpreter,
    value::{Given, Value},
};
use super::{judged::Called, services::is_vendor};
use crate::{text::Text, understand::code::services::kebab};

/// Classes, by how their names begin, and the module whose card or commands describe the same client. Sorted.
const CLIENTS: &[(&str, &str)] = &[
    ("ActiveRecord", "knex"),
    ("Docker", "docker"),
    ("Elastic.Elasticsearch", "elasticsearch"),
    ("Elasticsearch", "elasticsearch"),
    ("Email.Stuffer", "yagmail"),
    ("FtpClient", "basic-ftp"),
    ("Github.Client", "github"),
    ("Gitlab", "gitlab"),
    ("Illuminate.Support.Facades.DB", "knex"),
    ("Illuminate.Support.Facades.Redis", "redis"),
    ("Illuminate.Support.Facades.Schema", "knex"),
    ("Kubernetes", "kubernetes"),
    ("MIME.Lite", "yagmail"),
    ("Mail.IMAPClient", "imapclient"),
    ("Mojo.Redis", "redis"),
    ("Mongo", "pymongo"),
    ("MongoDB", "pymongo"),
    ("Net.FTP", "ftplib"),
    ("Net.FTPSSL", "ftplib"),
    ("Net.IMAP", "imapclient"),
    ("Net.LDAP", "ldap3"),
    ("Net.LDAPS", "ldap3"),
    ("Net.OpenSSH", "paramiko"),
    ("Net.SCP", "basic-ftp"),
    ("Net.SFTP", "basic-ftp"),
    ("Net.SMTP", "yagmail"),
    ("Net.SSH", "paramiko"),
    ("Net.SSH2", "paramiko"),
    ("Octokit", "octokit"),
    ("OpenSearch", "elasticsearch"),
    ("PHPMailer", "yagmail"),
    ("PHPMailer.PHPMailer.PHPMailer", "yagmail"),
    ("Pithub", "github"),
    ("Predis", "redis"),
    ("Redis", "redis"),
    ("RedisCluster", "redis"),
    ("Rye", "paramiko"),
    ("Search.Elasticsearch", "elasticsearch"),
    ("Slack.Web.Client", "slack_sdk"),
    ("Stripe", "stripe"),
    ("Swift_Mailer", "yagmail"),
    ("Symfony.Component.Mailer.Mailer", "yagmail"),
    ("Twilio", "twilio"),
    ("WWW.Twilio.API", "twilio"),
    ("phpseclib.Net.SFTP", "basic-ftp"),
    ("phpseclib.Net.SSH2", "paramiko"),
    ("phpseclib3.Net.SFTP", "basic-ftp"),
    ("phpseclib3.Net.SSH2", "paramiko"),
];

/// Classes whose objects stay in the program, or that other tables describe. Sorted.
const LOCAL: &[&str] = &[
    "ARGF",
    "Array",
    "ArrayIterator",
    "ArrayObject",
    "Cache",
    "Class",
    "Collection",
    "Concurrent",
    "Data",
    "Dir",
    "Doctrine",
    "Ds",
    "ENV",
    "Enumerator",
    "FakeFS",
    "File",
    "FileUtils",
    "Hash",
    "IO",
    "Kernel",
    "List",
    "Logger",
    "Module",
    "Object",
    "ObjectSpace",
    "Pathname",
    "Process",
    "Queue",
    "SQLite3",
    "STDERR",
    "STDIN",
    "STDOUT",
    "Scalar",
    "Set",
    "SplDoublyLinkedList",
    "SplFileObject",
    "SplFixedArray",
    "SplObjectStorage",
    "SplPriorityQueue",
    "SplQueue",
    "SplStack",
    "SplTempFileObject",
    "String",
    "StringIO",
    "Struct",
    "Tempfile",
    "Thread",
    "Tie",
    "WeakMap",
    "WeakReference",
    "XMLReader",
    "XMLWriter",
    "ZipArchive",
];

impl Interpreter<'_, '_, '_> {
    /// Tells what a call on an object of a library of Ruby, Perl or PHP does.
    pub(super) fn library_of_scripting(
        &mut self,
        path: &str,
        text: &Text,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        let path = path.trim_start_matches('.');
        let root = path.split(['.', '(', '[']).next().unwrap_or_default();
        if !root.starts_with(|first: char| first.is_ascii_alphabetic()) || self.is_class(root) {
            return None;
        }
        let path = path.trim_end_matches(['!', '?']);
        if root == "Aws" || root == "Paws" {
            self.cloud_of_scripting(path, text, given, span);
            return None;
        }
        let fits = |class: &str| {
            path.strip_prefix(class)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '(', '[']))
        };
        let client = CLIENTS.iter().filter(|(class, _)| fits(class));
        if let Some((class, module)) = client.max_by_key(|(class, _)| class.len()) {
            let rest = path.get(class.len()..).unwrap_or_default();
            let whole = format!("{module}{}", rest.replace(".new()", "()"));
            self.module(module);
            if let Some(value) = self.service_told(&whole, text, given, span) {
                return Some(value);
            }
            return self.library_told(&whole, text, given, span);
        }
        let is_class = root.starts_with(|first: char| first.is_ascii_uppercase());
        if !is_class || LOCAL.binary_search(&root).is_ok() || self.is_row(path) {
            return None;
        }
        let called = Called::new(path, path);
        if called.way.is_empty() || self.works_on_doubles(root, given) {
            return None;
        }
        if let Some(doing) = self.doing_anywhere(&called) {
            return self.tell_doing(doing, &called, text, given, span);
        }
        self.derived(&called, is_vendor(&root.to_ascii_lowercase()), given, span);
        self.places_deleted(called.name, given);
        None
    }

    /// `Aws::EC2::Client.new.terminate_instances(…)`, `new Aws\S3\S3Client(…)`, `Paws->service("EC2")->TerminateInstances(…)`.
    fn cloud_of_scripting(&mut self, path: &str, text: &Text, given: &[Given], span: Span) {
        let (receiver, method) = path.rsplit_once('.').unwrap_or(("", path));
        if receiver.is_empty() || matches!(method, "new" | "service") {
            return;
        }
        let named = receiver.split('.').nth(1).unwrap_or_default().split('(').next();
        let service = match named.filter(|_| receiver.starts_with("Aws.")) {
            Some(service) => service.to_ascii_lowercase(),
            None => text.as_known().unwrap_or("ec2").to_ascii_lowercase(),
        };
        let command = kebab(method);
        // `Aws::S3::Resource.new.buckets.each(&:delete)`: the kind is what was gone through.
        let command = match command.as_str() {
            "delete" | "terminate" | "stop" => {
                let mut way = receiver.split(['.', '(', ')', '[', ']']);
                let kind = way.rfind(|part| !part.is_empty()).unwrap_or_default();
                format!("{command}-{}", kebab(kind.trim_end_matches('s')))
            }
            _ => command,
        };
        self.aws(&service, &command, given, span);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_sorted_and_their_modules_are_described() {
        assert!(CLIENTS.is_sorted() && LOCAL.is_sorted());
    }
}
