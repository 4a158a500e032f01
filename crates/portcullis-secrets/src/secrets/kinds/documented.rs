//! The families that the security module's document names, under its names.

use super::{Check::*, SecretType, critical, high, medium};

const AWS: &str = "deactivate it in IAM and use a role, or AWS_ACCESS_KEY_ID from the environment";
const GITHUB: &str = "revoke it in the settings of GitHub and use GITHUB_TOKEN from the environment or a secret of Actions";
const GITLAB: &str = "revoke it in GitLab and use a masked variable of CI/CD";
const SLACK: &str =
    "revoke it in the app's settings at Slack and read SLACK_TOKEN from the environment";
const STRIPE: &str =
    "roll it in Stripe's dashboard and read STRIPE_SECRET_KEY from the environment";
const GOOGLE: &str =
    "restrict or delete it in the Google Cloud console and read it from the environment";

pub(super) const TYPES: &[SecretType] = &[
    critical("aws-access-key-id", "AWS", "AWS access key", &["AKIA<216>"])
        .named("aws_key")
        .check(AwsKeyId)
        .suggest(AWS)
        .near(&["AKIAIOSFODNN7EXAMPLE", "AKIA1234567890"]),
    critical("aws-temporary-key-id", "AWS", "temporary AWS access key", &["ASIA<216>"])
        .named("aws_key")
        .check(AwsKeyId)
        .suggest(AWS),
    high("aws-bearer-key-id", "AWS", "AWS bearer or context key", &["ABIA<216>", "ACCA<216>"])
        .named("aws_key")
        .check(AwsKeyId)
        .suggest(AWS),
    high(
        "aws-legacy-key-id",
        "AWS",
        "AWS access key of an old form",
        &[
            "A3TA<216>",
            "A3TX<216>",
            "A3TB<216>",
            "A3TC<216>",
            "A3TD<216>",
            "A3TE<216>",
            "A3TF<216>",
            "A3TG<216>",
            "A3TH<216>",
            "A3TI<216>",
            "A3TJ<216>",
            "A3TK<216>",
            "A3TL<216>",
            "A3TM<216>",
            "A3TN<216>",
            "A3TO<216>",
            "A3TP<216>",
            "A3TQ<216>",
            "A3TR<216>",
            "A3TS<216>",
            "A3TT<216>",
            "A3TU<216>",
            "A3TV<216>",
            "A3TW<216>",
            "A3TY<216>",
            "A3TZ<216>",
        ],
    )
    .named("aws_key")
    .check(AwsKeyId)
    .suggest(AWS),
    critical("aws-secret-access-key", "AWS", "AWS secret access key", &["<b40>"])
        .named("aws_secret")
        .keywords(&["aws", "secret_access_key", "secretaccesskey", "secret-access-key"])
        .entropy(42)
        .check(Mixed)
        .suggest(AWS),
    critical(
        "aws-session-token",
        "AWS",
        "AWS session token",
        &["IQoJb3JpZ2lu<b100+><=0-2>", "FwoGZXIvYXdz<b100+><=0-2>", "AQoDYXdz<b100+><=0-2>"],
    )
    .named("aws_secret")
    .suggest(AWS),
    critical("github-pat", "GitHub", "GitHub personal access token", &["ghp_<w36>"])
        .named("github_token")
        .check(Crc32Base62)
        .suggest(GITHUB)
        .near(&["ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "ghp_[0-9a-zA-Z]{36}"]),
    critical("github-oauth", "GitHub", "GitHub OAuth access token", &["gho_<w36>"])
        .named("github_token")
        .check(Crc32Base62)
        .suggest(GITHUB),
    critical("github-user-to-server", "GitHub", "GitHub App user token", &["ghu_<w36>"])
        .named("github_token")
        .check(Crc32Base62)
        .suggest(GITHUB),
    critical(
        "github-server-to-server",
        "GitHub",
        "GitHub App installation token",
        &["ghs_<w36>", "ghs_<u20-80>.<u20-900>.<u20-900>"],
    )
    .named("github_token")
    .check(Crc32Base62)
    .suggest(GITHUB),
    critical("github-refresh", "GitHub", "GitHub App refresh token", &["ghr_<w36-76>"])
        .named("github_token")
        .suggest(GITHUB),
    critical(
        "github-fine-grained-pat",
        "GitHub",
        "GitHub fine-grained personal access token",
        &["github_pat_<w22>_<w59>", "github_pat_<_82>"],
    )
    .named("github_token")
    .suggest(GITHUB),
    critical(
        "gitlab-pat",
        "GitLab",
        "GitLab personal access token",
        &["glpat-<u27-300>.<a2>.<a9>", "glpat-<u27-300>.<a2><a7>", "glpat-<u20>"],
    )
    .named("gitlab_token")
    .entropy(30)
    .suggest(GITLAB)
    .near(&["glpat-XXXXXXXXXXX-XXXXXXXX"]),
    critical("gitlab-deploy", "GitLab", "GitLab deploy token", &["gldt-<u20>"])
        .named("gitlab_token")
        .entropy(30)
        .suggest(GITLAB),
    high(
        "gitlab-runner",
        "GitLab",
        "GitLab runner authentication token",
        &[
            "glrt-t<d1>_<u27-300>.<a2><a7>",
            "glrt-t<d1>_<u20-300>",
            "glrt-<u27-300>.<a2><a7>",
            "glrt-<u20>",
            "glrtr-<u20>",
        ],
    )
    .named("gitlab_token")
    .entropy(30)
    .suggest(GITLAB),
    high(
        "gitlab-runner-registration",
        "GitLab",
        "GitLab runner registration token",
        &["GR1348941<u20>"],
    )
    .named("gitlab_token")
    .entropy(30)
    .suggest(GITLAB),
    high("gitlab-trigger", "GitLab", "GitLab pipeline trigger token", &["glptt-<H40>"])
        .named("gitlab_token")
        .entropy(30)
        .suggest(GITLAB),
    high("gitlab-job", "GitLab", "GitLab CI/CD job token", &["glcbt-<w1-5>_<u20>"])
        .named("gitlab_token")
        .entropy(30)
        .suggest(GITLAB),
    high("gitlab-feed", "GitLab", "GitLab feed token", &["glft-<u20>", "feed_token={<u20>"])
        .named("gitlab_token")
        .entropy(30)
        .suggest(GITLAB),
    high("gitlab-mail", "GitLab", "GitLab incoming mail token", &["glimt-<u25>"])
        .named("gitlab_token")
        .entropy(30)
        .suggest(GITLAB),
    critical("gitlab-agent", "GitLab", "GitLab agent token for Kubernetes", &["glagent-<u50>"])
        .named("gitlab_token")
        .entropy(30)
        .suggest(GITLAB),
    high("gitlab-scim", "GitLab", "GitLab SCIM token", &["glsoat-<u20>"])
        .named("gitlab_token")
        .entropy(30)
        .suggest(GITLAB),
    high("gitlab-feature-flags", "GitLab", "GitLab feature flags client token", &["glffct-<u20>"])
        .named("gitlab_token")
        .entropy(30)
        .suggest(GITLAB),
    critical("gitlab-oauth-secret", "GitLab", "GitLab OAuth application secret", &["gloas-<u64>"])
        .named("gitlab_token")
        .entropy(30)
        .suggest(GITLAB),
    high(
        "gitlab-session",
        "GitLab",
        "GitLab session cookie",
        &["_gitlab_session={<H32>", "_gitlab_session={<w32>"],
    )
    .named("gitlab_token")
    .entropy(30)
    .suggest(GITLAB),
    critical(
        "slack-bot",
        "Slack",
        "Slack bot token",
        &[
            "xoxb-<d10-13>-<d10-13>-<u20-40>",
            "xoxb-<d8-14>-<w18-26>",
            "xoxb-<d10-13>-<d10-13><u0-60>",
        ],
    )
    .named("slack_token")
    .suggest(SLACK),
    critical(
        "slack-user",
        "Slack",
        "Slack user token",
        &[
            "xoxp-<d10-13>-<d10-13>-<d10-13>-<u28-34>",
            "xoxe-<d10-13>-<d10-13>-<d10-13>-<u28-34>",
            "xoxp-<d9-13>-<d9-13>-<w20-64>",
        ],
    )
    .named("slack_token")
    .suggest(SLACK),
    critical(
        "slack-app",
        "Slack",
        "Slack app-level token",
        &["xapp-<d1>-<A5-20>-<d8-16>-<w32-80>", "xapp-<d1>-<w1-40>-<d1-20>-<w1-100>"],
    )
    .named("slack_token")
    .suggest(SLACK),
    critical(
        "slack-session",
        "Slack",
        "Slack session token",
        &["xoxc-<d9-15>-<d9-15>-<d9-15>-<H64>", "xoxd-<P60-400><=0-2>"],
    )
    .named("slack_token")
    .suggest(SLACK),
    high(
        "slack-legacy",
        "Slack",
        "Slack legacy token",
        &[
            "xoxa-<d1>-<u8-72>",
            "xoxa-<w8-72>",
            "xoxr-<d1>-<u8-72>",
            "xoxr-<w8-72>",
            "xoxs-<d1-16>-<d1-16>-<d1-16>-<H6-64>",
            "xoxo-<d1-16>-<d1-16>-<d1-16>-<H6-64>",
            "xoxs-<u20-90>",
            "xoxo-<u20-90>",
        ],
    )
    .named("slack_token")
    .entropy(20)
    .suggest(SLACK),
    critical(
        "slack-configuration",
        "Slack",
        "Slack configuration token",
        &["xoxe.xoxp-<d1>-<w150-180>", "xoxe.xoxb-<d1>-<w150-180>", "xoxe-<d1>-<w140-180>"],
    )
    .named("slack_token")
    .suggest(SLACK),
    high(
        "slack-webhook",
        "Slack",
        "Slack webhook address",
        &[
            "hooks.slack.com/services/<b43-56>",
            "hooks.slack.com/workflows/<b43-56>",
            "hooks.slack.com/triggers/<b43-56>",
        ],
    )
    .named("slack_token")
    .entropy(30)
    .suggest(SLACK)
    .near(&["hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX"]),
    critical(
        "stripe-live",
        "Stripe",
        "Stripe secret key",
        &["sk_live_<w10-247>", "sk_prod_<w10-247>"],
    )
    .named("stripe_key")
    .entropy(20)
    .suggest(STRIPE),
    critical(
        "stripe-restricted",
        "Stripe",
        "Stripe restricted key",
        &["rk_live_<w10-247>", "rk_prod_<w10-247>"],
    )
    .named("stripe_key")
    .entropy(20)
    .suggest(STRIPE),
    medium("stripe-test", "Stripe", "Stripe test key", &["sk_test_<w10-247>", "rk_test_<w10-247>"])
        .named("stripe_key")
        .entropy(20)
        .suggest(STRIPE),
    high(
        "stripe-webhook",
        "Stripe",
        "webhook signing secret",
        &["whsec_<b24-64><=0-2>", "whsec_<w16-64>"],
    )
    .named("stripe_key")
    .suggest(STRIPE),
    high("google-api-key", "Google", "Google API key", &["AIza<u35>"])
        .named("google_api_key")
        .entropy(30)
        .suggest(GOOGLE)
        .near(&[
            "AIzaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            "AIzaSyabcdefghijklmnopqrstuvwxyz1234567",
        ]),
    critical(
        "google-oauth-client-secret",
        "Google",
        "Google OAuth client secret",
        &["GOCSPX-<u28>"],
    )
    .named("google_api_key")
    .suggest(GOOGLE),
    high("google-oauth-access", "Google", "Google OAuth access token", &["ya29.<u20+>"])
        .named("google_api_key")
        .entropy(30)
        .suggest(GOOGLE),
    critical("google-oauth-refresh", "Google", "Google OAuth refresh token", &["1//0<u30-200>"])
        .named("google_api_key")
        .entropy(30)
        .suggest(GOOGLE),
    high("json-web-token", "its issuer", "JSON web token", &["eyJ<u8+>.eyJ<u8+>.<u0+>"])
        .named("jwt_secret")
        .check(JsonWebToken)
        .suggest("let it expire or revoke it at its issuer, and get tokens when the program runs"),
    high(
        "json-web-token-encoded",
        "its issuer",
        "JSON web token, base64 encoded",
        &["ZXlK<b40+><=0-2>"],
    )
    .named("jwt_secret")
    .check(EncodedWebToken)
    .suggest("let it expire or revoke it at its issuer, and get tokens when the program runs"),
];
