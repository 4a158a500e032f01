//! Code hosts besides the documented ones, package registries, builds and releases.

use super::{Check::*, SecretType, critical, high, medium};

pub(super) const TYPES: &[SecretType] = &[
    critical("bitbucket-app-password", "Atlassian", "Bitbucket app password", &["ATBB<w24><X8>"])
        .check(UpperHexTail)
        .entropy(30),
    critical(
        "atlassian-api-token",
        "Atlassian",
        "Atlassian API token",
        &["ATATT3<v180-200>", "ATCTT3<v180-200>"],
    )
    .entropy(35),
    critical("npm-token", "npm", "npm access token", &["npm_<w36>"]).check(Crc32Base62).entropy(30),
    critical(
        "pypi-token",
        "PyPI",
        "PyPI upload token",
        &["pypi-AgEIcHlwaS5vcmc<u50+>", "pypi-AgENdGVzdC5weXBpLm9yZw<u50+>", "pypi-AgE<u70+>"],
    )
    .entropy(30),
    critical("rubygems-key", "RubyGems", "RubyGems API key", &["rubygems_<h48>"]).entropy(30),
    critical("cargo-token", "the Rust registry", "Cargo registry token", &["cio<w32>"])
        .entropy(38)
        .check(Mixed),
    critical("nuget-key", "NuGet", "NuGet API key", &["oy2<a43>"]).entropy(35),
    critical("docker-hub-pat", "Docker", "Docker Hub personal access token", &["dckr_pat_<u27>"])
        .entropy(30),
    critical(
        "docker-hub-oat",
        "Docker",
        "Docker Hub organization access token",
        &["dckr_oat_<u27-32>"],
    )
    .entropy(30),
    high("clojars-token", "Clojars", "Clojars deploy token", &["CLOJARS_<w60>"]).entropy(30),
    critical("artifactory-key", "JFrog", "Artifactory API key", &["AKCp<w69>"]).entropy(38),
    critical(
        "artifactory-reference-token",
        "JFrog",
        "Artifactory reference token",
        &["cmVmd<w59>"],
    )
    .entropy(38),
    high("cloudsmith-key", "Cloudsmith", "Cloudsmith API key", &["csa_<h30><w6>"]).entropy(30),
    high(
        "packagist-token",
        "Packagist",
        "Packagist token",
        &[
            "packagist_oat_<h68>",
            "packagist_out_<h68>",
            "packagist_ort_<h68>",
            "packagist_uut_<h68>",
        ],
    ),
    high("hex-key", "Hex", "Hex package manager key", &["<h32>"]).keywords(&["hex_api"]),
    high(
        "circleci-token",
        "CircleCI",
        "CircleCI token",
        &["CCIPAT_<w22>_<h40>", "CCIPRJ_<w22>_<h40>"],
    )
    .entropy(30),
    high(
        "buildkite-token",
        "Buildkite",
        "Buildkite token",
        &["bkua_<a40>", "bkaj_<u40-60>", "bkat_<w40>"],
    )
    .entropy(30),
    high("sonar-token", "Sonar", "SonarQube token", &["squ_<h40>", "sqp_<h40>", "sqa_<h40>"])
        .entropy(28),
    high("octopus-key", "Octopus Deploy", "Octopus Deploy API key", &["API-<A26>"]).entropy(30),
    high(
        "harness-token",
        "Harness",
        "Harness access token",
        &["pat.<u22>.<h24>.<w20>", "sat.<u22>.<h24>.<w20>"],
    )
    .entropy(30),
    high("prefect-key", "Prefect", "Prefect API key", &["pnu_<w36>", "pnb_<w36>"]).entropy(30),
    high("deno-token", "Deno", "Deno Deploy token", &["ddp_<w36>", "ddo_<w36>"]).entropy(30),
    high(
        "sourcegraph-token",
        "Sourcegraph",
        "Sourcegraph access token",
        &[
            "sgp_<H16>_<H40>",
            "sgp_local_<H40>",
            "sgp_<H40>",
            "slk_<h64>",
            "sgd_<h64>",
            "sgph_<H16>_<H40>",
        ],
    )
    .entropy(28),
    high("postman-key", "Postman", "Postman API key", &["PMAK-<H24>-<H34>"]).entropy(30),
    high("infracost-key", "Infracost", "Infracost API key", &["ico-<w32>"]).entropy(30),
    high("argocd-token", "Argo", "Argo CD token", &["argocd.token={eyJ<u10+>.eyJ<u10+>.<u10+>"]),
    high("expo-token", "Expo", "Expo access token", &["expo_<u30-60>"])
        .keywords(&["expo"])
        .entropy(30),
    high("codeclimate-reporter", "Code Climate", "Code Climate reporter id", &["<h64>"])
        .keywords(&["cc_test_reporter", "codeclimate"])
        .entropy(30),
    critical("gitea-token", "Gitea", "Gitea or Forgejo access token", &["<h40>"])
        .keywords(&["gitea", "forgejo", "codeberg"])
        .entropy(30),
    critical("jfrog-key", "JFrog", "JFrog API key", &["<w73>", "<w64>"])
        .keywords(&["jfrog", "artifactory", "bintray", "xray"])
        .entropy(35),
    high("travis-token", "Travis CI", "Travis CI token", &["<w22>"])
        .keywords(&["travis"])
        .entropy(30)
        .check(Mixed),
    high("drone-token", "Drone", "Drone CI token", &["<w32>"]).keywords(&["drone"]).entropy(30),
    medium("codecov-token", "Codecov", "Codecov upload token", &["<U>", "<w32>"])
        .keywords(&["codecov"])
        .entropy(28),
    high("coveralls-token", "Coveralls", "Coveralls repository token", &["<w32-37>"])
        .keywords(&["coveralls"])
        .entropy(30),
    high("snyk-token", "Snyk", "Snyk API token", &["<U>"]).keywords(&["snyk"]).entropy(28),
    high("sonar-named-token", "Sonar", "SonarQube token", &["<v40>"])
        .keywords(&["sonar"])
        .entropy(30)
        .check(Mixed),
    critical(
        "bitbucket-client-secret",
        "Atlassian",
        "Bitbucket client secret",
        &["<v64>", "<w32>"],
    )
    .keywords(&["bitbucket"])
    .entropy(30),
    critical(
        "atlassian-legacy-token",
        "Atlassian",
        "Atlassian API token of the old form",
        &["<w20><H4>"],
    )
    .keywords(&["atlassian", "confluence", "jira"])
    .entropy(30)
    .check(Mixed),
    high("netlify-named-token", "Netlify", "Netlify access token", &["<v40-46>"])
        .keywords(&["netlify"])
        .entropy(30)
        .check(Mixed),
    high("sidekiq-credential", "Contributed Systems", "Sidekiq gem credential", &["<h8>:<h8>"])
        .keywords(&["contribsys"])
        .entropy(25),
    critical("github-named-token", "GitHub", "GitHub token of the old form", &["<h40>"])
        .named("github_token")
        .keywords(&["github_token", "gh_token", "github_pat", "github-token"])
        .entropy(30),
];
