//! Clouds, hosting, networks and what manages them.

use super::{Check::*, SecretType, critical, high, medium};

pub(super) const TYPES: &[SecretType] = &[
    critical("aws-bedrock-key", "AWS", "Amazon Bedrock API key", &["ABSK<b109-269><=0-2>"])
        .entropy(30),
    critical(
        "aws-bedrock-short-key",
        "AWS",
        "short-lived Amazon Bedrock API key",
        &["bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t<B0+>", "bedrock-api-key-<B60+>"],
    )
    .entropy(20),
    high("aws-appsync-key", "AWS", "AWS AppSync API key", &["da2-<a26>"]).entropy(30),
    high("aws-mws-token", "Amazon", "Amazon Marketplace token", &["amzn.mws.<U>"]),
    high(
        "aws-login-client-secret",
        "Amazon",
        "Login with Amazon client secret",
        &["amzn1.oa2-cs.v1.<h64>"],
    ),
    critical(
        "azure-storage-key",
        "Microsoft Azure",
        "Azure Storage account key",
        &["AccountKey={<b86>==", "accountkey={<b86>==", "AccountKey={<b86><=0-2>"],
    )
    .check(Base64Bytes(64)),
    critical(
        "azure-shared-access-key",
        "Microsoft Azure",
        "Azure Service Bus or Event Hubs key",
        &["SharedAccessKey={<b43>=", "sharedaccesskey={<b43>="],
    )
    .check(Base64Bytes(32)),
    critical(
        "azure-entra-client-secret",
        "Microsoft Azure",
        "Azure Entra ID client secret",
        &[
            "<q3>0Q~<q31-34>",
            "<q3>1Q~<q31-34>",
            "<q3>2Q~<q31-34>",
            "<q3>3Q~<q31-34>",
            "<q3>4Q~<q31-34>",
            "<q3>5Q~<q31-34>",
            "<q3>6Q~<q31-34>",
            "<q3>7Q~<q31-34>",
            "<q3>8Q~<q31-34>",
            "<q3>9Q~<q31-34>",
        ],
    )
    .entropy(30)
    .near(&["bP88Q~xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"]),
    critical(
        "azure-devops-pat",
        "Microsoft Azure",
        "Azure DevOps personal access token",
        &["<w76>AZDO<w4>"],
    )
    .entropy(35),
    critical(
        "azure-ai-key",
        "Microsoft Azure",
        "Azure OpenAI or AI services key",
        &["<w52>JQQJ99<w10>ACOG<w4>", "<w52>JQQJ99<w22>"],
    )
    .entropy(35),
    critical("azure-cosmos-key", "Microsoft Azure", "Azure Cosmos DB key", &["<b76>ACDb<b0-4>=="])
        .entropy(35),
    critical(
        "azure-storage-marked-key",
        "Microsoft Azure",
        "Azure Storage account key",
        &["<b76>+ASt<b6>=="],
    )
    .entropy(35),
    critical(
        "azure-marked-key",
        "Microsoft Azure",
        "Azure service key",
        &[
            "<b33>+ASb<b6>=",
            "<b33>+AEh<b6>=",
            "<b33>+ARm<b6>=",
            "<b42>AzFu<w6>==",
            "<w42>AzSe<w6>",
            "<w42>+ACR<w6>",
            "<w42>AzCa<w5>=",
        ],
    )
    .entropy(35),
    high(
        "azure-sas",
        "Microsoft Azure",
        "Azure shared access signature",
        &[
            "&sig={<p43-70>",
            "?sig={<p43-70>",
            "&sig={<P43-70><=0-1>",
            "?sig={<P43-70><=0-1>",
            "SharedAccessSignature={<s40-400>",
        ],
    )
    .entropy(35),
    critical(
        "azure-app-configuration",
        "Microsoft Azure",
        "Azure App Configuration secret",
        &[".azconfig.io;Id=<s4-80>;Secret={<B36-120>"],
    ),
    high(
        "azure-function-key",
        "Microsoft Azure",
        "Azure Functions key",
        &["azurewebsites.net/api/<u1-60>?code={<P40-80><=0-2>"],
    ),
    high("azure-logic-app", "Microsoft Azure", "Azure Logic Apps address", &["&sv=1.0&sig={<u43>"]),
    critical(
        "digitalocean-pat",
        "DigitalOcean",
        "DigitalOcean personal access token",
        &["dop_v1_<H64>"],
    )
    .entropy(30),
    critical("digitalocean-oauth", "DigitalOcean", "DigitalOcean OAuth token", &["doo_v1_<H64>"])
        .entropy(30),
    critical(
        "digitalocean-refresh",
        "DigitalOcean",
        "DigitalOcean refresh token",
        &["dor_v1_<H64>"],
    )
    .entropy(30),
    high("digitalocean-spaces-key", "DigitalOcean", "DigitalOcean Spaces key", &["DO00<A16>"])
        .entropy(30),
    high("alibaba-access-key-id", "Alibaba Cloud", "Alibaba Cloud access key", &["LTAI<w16-22>"])
        .entropy(30),
    high("tencent-secret-id", "Tencent Cloud", "Tencent Cloud secret id", &["AKID<w32>"])
        .entropy(35),
    critical("volcengine-key", "Volcengine", "Volcengine access key", &["AKLT<u40-60>"])
        .entropy(35),
    critical(
        "cloudflare-origin-ca-key",
        "Cloudflare",
        "Cloudflare origin CA key",
        &["v1.0-<h24>-<h146>"],
    ),
    critical(
        "cloudflare-token",
        "Cloudflare",
        "Cloudflare API token",
        &["cfut_<w40-60>", "cfat_<w40-60>", "cfk_<w40-60>"],
    )
    .entropy(35),
    critical(
        "flyio-token",
        "Fly.io",
        "Fly.io access token",
        &["fo1_<u43>", "fm1r_<b100+><=0-3>", "fm1a_<b100+><=0-3>", "fm2_<b100+><=0-3>"],
    )
    .entropy(35),
    critical("heroku-token", "Heroku", "Heroku API key", &["HRKU-AA<u58>", "HRKU-<U>"]).entropy(30),
    critical(
        "vercel-token",
        "Vercel",
        "Vercel access token",
        &[
            "vcp_<u24-60>",
            "vci_<u24-60>",
            "vca_<u24-60>",
            "vcr_<u24-60>",
            "vck_<u24-60>",
            "vercel_blob_rw_<w16>_<w30>",
        ],
    )
    .entropy(35),
    critical(
        "netlify-token",
        "Netlify",
        "Netlify access token",
        &["nfp_<w36>", "nfc_<w36>", "nfo_<w36>"],
    )
    .entropy(35),
    high("render-key", "Render", "Render API key", &["rnd_<w28>"]).entropy(35),
    high("scalingo-token", "Scalingo", "Scalingo API token", &["tk-us-<u48>"]).entropy(30),
    high("scaleway-key", "Scaleway", "Scaleway access key", &["SCW<A17>"]).entropy(30),
    critical(
        "hetzner-marked-token",
        "Hetzner",
        "Hetzner object storage key",
        &["HCLOUD_TOKEN={<w64>"],
    )
    .entropy(35),
    critical("pulumi-token", "Pulumi", "Pulumi access token", &["pul-<h40>"]).entropy(28),
    critical(
        "terraform-cloud-token",
        "HashiCorp",
        "Terraform Cloud token",
        &["<w14>.atlasv1.<v60-70>"],
    )
    .entropy(35),
    critical("vault-service-token", "HashiCorp", "Vault service token", &["hvs.<u24-300>"])
        .entropy(30),
    critical("vault-batch-token", "HashiCorp", "Vault batch token", &["hvb.<u138-400>"])
        .entropy(35),
    critical("vault-recovery-token", "HashiCorp", "Vault recovery token", &["hvr.<u24-300>"])
        .entropy(30),
    critical("vault-legacy-token", "HashiCorp", "Vault token of the old form", &["s.<w24>"])
        .keywords(&["vault"])
        .entropy(35)
        .check(Mixed),
    critical(
        "tailscale-key",
        "Tailscale",
        "Tailscale key",
        &[
            "tskey-api-<w8-30>-<w20-48>",
            "tskey-auth-<w8-30>-<w20-48>",
            "tskey-client-<w8-30>-<w20-48>",
            "tskey-scim-<w8-30>-<w20-48>",
            "tskey-webhook-<w8-30>-<w20-48>",
            "tskey-<w12-40>",
        ],
    )
    .entropy(30),
    high(
        "defined-networking-token",
        "Defined Networking",
        "Defined Networking API token",
        &["dnkey-<v26>-<v52>"],
    )
    .entropy(30),
    high("ngrok-authtoken", "ngrok", "ngrok agent token", &["<w18-28>_<w20-22>"])
        .keywords(&["ngrok", "authtoken"])
        .entropy(35)
        .near(&["ngrok config add-authtoken your_authtoken_goes_here_please"]),
    high("ngrok-token", "ngrok", "ngrok credential", &["ak_<w24-32>", "cr_<w24-32>"])
        .keywords(&["ngrok"])
        .entropy(30),
    critical("kubernetes-openshift-token", "Red Hat", "OpenShift user token", &["sha256~<u43>"])
        .entropy(35),
    high("docker-swarm-join", "Docker", "Docker Swarm join token", &["SWMTKN-1-<a50>-<a25>"]),
    critical("docker-swarm-unlock", "Docker", "Docker Swarm unlock key", &["SWMKEY-1-<b43>"]),
    high("kubernetes-bootstrap-token", "Kubernetes", "Kubernetes bootstrap token", &["<a6>.<a16>"])
        .keywords(&["kubeadm", "bootstrap-token", "bootstrap_token"])
        .entropy(28),
    critical("rancher-token", "Rancher", "Rancher API token", &["token-<a5>:<a54>"]),
    critical("nutanix-key", "Nutanix", "Nutanix API key", &["nut_<w32-64>"])
        .keywords(&["nutanix"])
        .entropy(30),
    critical("oracle-cloud-token", "Oracle", "Oracle Cloud auth token", &["<s20>"])
        .keywords(&["oci_auth_token"])
        .entropy(30)
        .check(Mixed),
    critical(
        "doppler-token",
        "Doppler",
        "Doppler token",
        &[
            "dp.pt.<w40-44>",
            "dp.ct.<w40-44>",
            "dp.sa.<w40-44>",
            "dp.scim.<w40-44>",
            "dp.audit.<w40-44>",
            "dp.st.<w40-44>",
            "dp.st.<u2-35>.<w40-44>",
        ],
    )
    .entropy(35),
    critical(
        "infisical-token",
        "Infisical",
        "Infisical service token",
        &["st.<h24>.<h32>.<h32>", "st.<U>.<h32>.<h32>"],
    ),
    critical(
        "1password-service-account",
        "1Password",
        "1Password service account token",
        &["ops_eyJ<b250+><=0-3>"],
    )
    .entropy(35),
    critical(
        "1password-secret-key",
        "1Password",
        "1Password secret key",
        &["A3-<A6>-<A11>-<A5>-<A5>-<A5>", "A3-<A6>-<A6>-<A5>-<A5>-<A5>-<A5>"],
    )
    .entropy(35),
    high(
        "bitwarden-secret",
        "Bitwarden",
        "Bitwarden Secrets Manager access token",
        &["0.<U>.<w30>:<b22>=="],
    )
    .keywords(&["bws_", "bitwarden"]),
    critical(
        "age-secret-key",
        "its owner",
        "age secret key",
        &["AGE-SECRET-KEY-1<z58>", "AGE-SECRET-KEY-PQ-1<z58-80>"],
    )
    .named("age_secret_key")
    .check(Bech32)
    .suggest("make a new key with age-keygen, encrypt again for it, and keep it out of the tree"),
    critical(
        "wireguard-private-key",
        "its owner",
        "WireGuard private key",
        &["PrivateKey = {<b43>=", "PrivateKey={<b43>="],
    )
    .check(Base64Bytes(32))
    .suggest("make a new key pair with wg genkey and keep the private half on its host"),
    medium("teleport-token", "Teleport", "Teleport join token", &["teleport_token={<h32>"])
        .entropy(28),
    high("ovh-key", "OVH", "OVH application secret", &["<w32>"])
        .keywords(&["ovh"])
        .entropy(30)
        .check(Mixed),
    high("vultr-key", "Vultr", "Vultr API key", &["<A36>"]).keywords(&["vultr"]).entropy(35),
    high("linode-token", "Akamai", "Linode token", &["<h64>"]).keywords(&["linode"]).entropy(30),
    high("hetzner-token", "Hetzner", "Hetzner Cloud token", &["<w64>"])
        .keywords(&["hetzner", "hcloud"])
        .entropy(35),
    critical("ibm-cloud-key", "IBM", "IBM Cloud API key", &["<u44>"])
        .keywords(&["ibm", "bluemix"])
        .entropy(35)
        .check(Mixed),
    critical("alibaba-secret-key", "Alibaba Cloud", "Alibaba Cloud secret key", &["<w30>"])
        .keywords(&["alibaba", "aliyun"])
        .entropy(30)
        .check(Mixed),
    critical("tencent-secret-key", "Tencent Cloud", "Tencent Cloud secret key", &["<w32>"])
        .keywords(&["tencent", "qcloud"])
        .entropy(30)
        .check(Mixed),
    critical("cloudflare-api-token", "Cloudflare", "Cloudflare API token", &["<u40>"])
        .keywords(&["cloudflare", "cf_api", "cf-api"])
        .entropy(30)
        .check(Mixed),
    critical("cloudflare-global-key", "Cloudflare", "Cloudflare global API key", &["<h37>"])
        .keywords(&["cloudflare", "cf_api", "x-auth-key"])
        .entropy(28),
    critical("scaleway-secret-key", "Scaleway", "Scaleway secret key", &["<U>"])
        .keywords(&["scaleway", "scw_secret"])
        .entropy(28),
    high("railway-token", "Railway", "Railway token", &["<U>"]).keywords(&["railway"]).entropy(28),
    high("heroku-key", "Heroku", "Heroku API key", &["<U>"]).keywords(&["heroku"]).entropy(28),
    critical(
        "yandex-iam-token",
        "Yandex Cloud",
        "Yandex Cloud IAM token",
        &["t1.<u1-400><=0-2>.<u80-100><=0-2>"],
    )
    .entropy(35),
    critical("yandex-api-key", "Yandex Cloud", "Yandex Cloud API key", &["AQVN<u35-38>"])
        .entropy(30),
    critical("yandex-static-key", "Yandex Cloud", "Yandex Cloud static access key", &["YC<u38>"])
        .keywords(&["yandex", "ycloud", "yc_"])
        .entropy(30),
    critical("yandex-oauth-token", "Yandex", "Yandex OAuth token", &["y0_<u50-60>"]).entropy(35),
    high("meraki-key", "Cisco", "Cisco Meraki API key", &["<h40>"])
        .keywords(&["meraki"])
        .entropy(30)
        .near(&["meraki: aaaaaaaaaa1111111111bbbbbbbbbb2222222222"]),
    high("fastly-key", "Fastly", "Fastly API key", &["<v32>"])
        .keywords(&["fastly"])
        .entropy(30)
        .check(Mixed),
];
