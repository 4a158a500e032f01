//! What an attempt is made against: a workspace, files outside, secrets, a process, sockets. Made anew for each attempt, and told to the
//! attacker through its environment, since a real one would find all that by itself.

use std::{
    fs,
    io::Read as _,
    net::{TcpListener, UdpSocket},
    os::{
        fd::OwnedFd,
        linux::net::SocketAddrExt as _,
        unix::{
            fs::{PermissionsExt as _, symlink},
            net::{SocketAddr, UnixDatagram, UnixListener},
        },
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

/// What must not be read.
pub(crate) const SECRET: &str = "correct horse battery staple";

/// What a file says as long as nobody touched it.
pub(crate) const WHOLE: &str = "whole\n";

/// Where an attempt is made. Inside, only the paths and numbers are there.
pub(crate) struct Scene {
    pub(crate) root: PathBuf,
    pub(crate) tcp: u16,
    pub(crate) udp: u16,
    pub(crate) sleeper: i32,
    pub(crate) shared: i32,
    pub(crate) outside: Option<Outside>,
}

/// What lives outside as long as the attempt lasts.
pub(crate) struct Outside {
    tcp: TcpListener,
    udp: UdpSocket,
    stream: UnixListener,
    datagrams: UnixDatagram,
    abstract_stream: UnixListener,
    sleeper: Child,
    pub(crate) leaked: Vec<OwnedFd>,
}

impl Scene {
    pub(crate) fn made(root: PathBuf, program: &Path) -> Self {
        let _ = fs::remove_dir_all(&root);
        for folder in
            ["ws/.git/hooks", "ws/.git/info", "ws/src", "ws/module", "outside/own", "secret"]
        {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        for (file, text) in [
            ("ws/.git/config", WHOLE),
            ("ws/src/file", WHOLE),
            ("ws/module/.git", WHOLE),
            ("ws/settings", WHOLE),
            ("outside/target", WHOLE),
            ("outside/script", WHOLE),
            ("outside/own/settings", WHOLE),
            ("outside/program", WHOLE),
            ("ws/src/led", WHOLE),
            ("secret/key", SECRET),
        ] {
            fs::write(root.join(file), text).unwrap();
        }
        fs::set_permissions(root.join("outside/target"), fs::Permissions::from_mode(0o644))
            .unwrap();
        symlink("settings", root.join("ws/.linked")).unwrap();
        fs::hard_link(root.join("ws/.git/config"), root.join("ws/src/second-name")).unwrap();
        fs::hard_link(root.join("outside/own/settings"), root.join("ws/src/name-of-own")).unwrap();
        fs::hard_link(root.join("outside/program"), root.join("ws/src/name-of-program")).unwrap();
        symlink("../../ws/src/led", root.join("outside/own/led")).unwrap();
        symlink("ws", root.join("linked-workspace")).unwrap();
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        let stream = UnixListener::bind(root.join("outside/docker.sock")).unwrap();
        let datagrams = UnixDatagram::bind(root.join("outside/log")).unwrap();
        tcp.set_nonblocking(true).unwrap();
        udp.set_nonblocking(true).unwrap();
        stream.set_nonblocking(true).unwrap();
        datagrams.set_nonblocking(true).unwrap();
        let name = SocketAddr::from_abstract_name(root.as_os_str().as_encoded_bytes()).unwrap();
        let abstract_stream = UnixListener::bind_addr(&name).unwrap();
        let mut sleeper = Command::new(program);
        sleeper
            .arg("sleeper")
            .env_clear()
            .env("TOKEN", SECRET)
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        let mut sleeper = sleeper.spawn().unwrap();
        // It says where its secret lies once it is there.
        let mut ready = [0; 1];
        sleeper.stdout.as_mut().unwrap().read_exact(&mut ready).unwrap();
        Self {
            tcp: tcp.local_addr().unwrap().port(),
            udp: udp.local_addr().unwrap().port(),
            sleeper: i32::try_from(sleeper.id()).unwrap(),
            shared: crate::calls::shared_secret(SECRET),
            root,
            outside: Some(Outside {
                tcp,
                udp,
                stream,
                datagrams,
                abstract_stream,
                sleeper,
                leaked: Vec::new(),
            }),
        }
    }

    /// The scene as the attacker was told it.
    pub(crate) fn told() -> Self {
        let number = |name: &str| std::env::var(name).unwrap().parse::<i32>().unwrap();
        Self {
            root: PathBuf::from(std::env::var_os("SCENE").unwrap()),
            tcp: u16::try_from(number("TCP")).unwrap(),
            udp: u16::try_from(number("UDP")).unwrap(),
            sleeper: number("SLEEPER"),
            shared: number("SHARED"),
            outside: None,
        }
    }

    pub(crate) fn variables(&self) -> Vec<(String, String)> {
        vec![
            ("SCENE".into(), self.root.to_str().unwrap().into()),
            ("TCP".into(), self.tcp.to_string()),
            ("UDP".into(), self.udp.to_string()),
            ("SLEEPER".into(), self.sleeper.to_string()),
            ("SHARED".into(), self.shared.to_string()),
            ("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into()),
        ]
    }

    pub(crate) fn ws(&self, path: &str) -> PathBuf {
        self.root.join("ws").join(path)
    }

    pub(crate) fn out(&self, path: &str) -> PathBuf {
        self.root.join("outside").join(path)
    }

    pub(crate) fn secret(&self) -> PathBuf {
        self.root.join("secret/key")
    }

    /// Whether a file outside is as it was.
    pub(crate) fn is_target_touched(&self) -> bool {
        fs::read_to_string(self.out("target")).ok().as_deref() != Some(WHOLE)
    }

    /// Whether what lies elsewhere, and has a name in the workspace, is as it was.
    pub(crate) fn is_own_touched(&self) -> bool {
        let own = ["outside/own/settings", "outside/own/led", "outside/program"];
        own.iter()
            .any(|path| fs::read_to_string(self.root.join(path)).ok().as_deref() != Some(WHOLE))
    }

    /// Whether the protected settings of version control are as they were.
    pub(crate) fn is_control_touched(&self) -> bool {
        fs::read_to_string(self.ws(".git/config")).ok().as_deref() != Some(WHOLE)
            || fs::read_dir(self.ws(".git/hooks"))
                .map_or(true, |mut entries| entries.next().is_some())
    }

    pub(crate) fn is_sleeper_dead(&mut self) -> bool {
        let outside = self.outside.as_mut().unwrap();
        outside.sleeper.try_wait().unwrap().is_some()
    }

    /// Whether anything came to one of the sockets outside.
    pub(crate) fn was_reached(&self) -> bool {
        let outside = self.outside.as_ref().unwrap();
        let mut room = [0; 16];
        outside.tcp.accept().is_ok()
            || outside.udp.recv(&mut room).is_ok()
            || outside.stream.accept().is_ok()
            || outside.datagrams.recv(&mut room).is_ok()
            || {
                outside.abstract_stream.set_nonblocking(true).unwrap();
                outside.abstract_stream.accept().is_ok()
            }
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        if let Some(outside) = &mut self.outside {
            let _ = outside.sleeper.kill();
            let _ = outside.sleeper.wait();
            crate::calls::forget_shared(self.shared);
            let _ = fs::remove_dir_all(&self.root);
        }
    }
}
