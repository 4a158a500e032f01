//! Encrypted connections: the name is the one that was asked for, whatever address it led to.

use std::sync::{Arc, Mutex};

use portcullis_net::{Failure, Request, Roots};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::{
    client,
    server::{NameServer, WebServer, ok, redirect, serve},
};

/// A web server with a certificate for a name; the certificate in PEM, and the names that callers asked for.
pub(crate) struct Secure {
    pub(crate) port: u16,
    pub(crate) certificate: Vec<u8>,
    pub(crate) asked: Arc<Mutex<Vec<String>>>,
}

impl Secure {
    pub(crate) async fn new(
        name: &str,
        answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static,
    ) -> Self {
        let mut authority = CertificateParams::default();
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        authority.distinguished_name.push(DnType::CommonName, "an authority of this test");
        let authority_key = KeyPair::generate().unwrap();
        let certificate = authority.self_signed(&authority_key).unwrap().pem().into_bytes();
        let issuer = Issuer::new(authority, authority_key);
        let signing_key = KeyPair::generate().unwrap();
        let mut own = CertificateParams::new(vec![name.to_owned()]).unwrap();
        own.distinguished_name.push(DnType::CommonName, name);
        let cert = own.signed_by(&signing_key, &issuer).unwrap();
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![cert.der().clone()], key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let names = Arc::clone(&asked);
        let answer: super::server::Answer = Arc::new(answer);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, names, answer) =
                    (acceptor.clone(), Arc::clone(&names), Arc::clone(&answer));
                tokio::spawn(async move {
                    let Ok(stream) = acceptor.accept(stream).await else { return };
                    let name = stream.get_ref().1.server_name().unwrap_or("none").to_owned();
                    names.lock().unwrap().push(name);
                    serve(stream, Arc::default(), answer).await;
                });
            }
        });
        Self { port, certificate, asked }
    }
}

#[tokio::test]
async fn the_name_that_was_asked_for_is_the_one_on_the_certificate() {
    let names = NameServer::of_ours().await;
    let secure = Secure::new("good.example.com", |_| ok("secret")).await;
    let roots = || Roots::Pem(secure.certificate.clone());
    let fetch = async |host: &str, roots| {
        let request = Request::get(format!("https://{host}:{}/", secure.port));
        client(names.address, &[secure.port], roots).fetch(request, &mut |_| ()).await
    };
    let response = fetch("good.example.com", roots()).await.unwrap();
    assert_eq!(response.body, b"secret");
    assert_eq!(*secure.asked.lock().unwrap(), ["good.example.com"]);
    let failure = fetch("other.example.com", roots()).await.unwrap_err();
    assert!(matches!(failure, Failure::Tls { .. }), "{failure}");
    let stranger = Secure::new("good.example.com", |_| ok("")).await;
    let failure = fetch("good.example.com", Roots::Pem(stranger.certificate)).await.unwrap_err();
    assert!(matches!(failure, Failure::Tls { .. }), "{failure}");
    let failure = fetch("good.example.com", Roots::Pem(b"nothing".to_vec())).await.unwrap_err();
    assert!(failure.to_string().contains("no certificate authority is trusted"), "{failure}");
}

#[tokio::test]
async fn no_redirect_leads_from_an_encrypted_connection_to_a_plain_one() {
    let names = NameServer::of_ours().await;
    let plain = WebServer::new(|_| ok("plain")).await;
    let port = plain.port;
    let secure = Secure::new("good.example.com", move |_| {
        redirect(302, &format!("http://good.example.com:{port}/"))
    })
    .await;
    let client =
        client(names.address, &[secure.port, port], Roots::Pem(secure.certificate.clone()));
    let request = Request::get(format!("https://good.example.com:{}/", secure.port));
    let failure = client.fetch(request, &mut |_| ()).await.unwrap_err();
    assert!(matches!(failure, Failure::Downgrade), "{failure}");
    assert_eq!(plain.requests(), Vec::<String>::new());

    // The other way round is what most sites do.
    let (to, certificate) = (secure.port, secure.certificate.clone());
    let upgrade =
        WebServer::new(move |_| redirect(301, &format!("https://good.example.com:{to}/again")))
            .await;
    let client = super::client(names.address, &[upgrade.port, to], Roots::Pem(certificate));
    let request = Request::get(format!("http://good.example.com:{}/", upgrade.port));
    let failure = client.fetch(request, &mut |_| ()).await.unwrap_err();
    assert!(failure.to_string().contains("redirect 1, to `https://good.example.com"), "{failure}");
}
