//! Packages whose programs have another name than they: `npx firebase-tools deploy` is `firebase deploy`. Owns which; a package that
//! brings a program of its own name is in no table.

/// Packages of npm with the program that they bring, the `bin` of their manifests at registry.npmjs.org, sorted.
const OF_NPM: &[(&str, &str)] = &[
    ("@algolia/cli", "algolia"),
    ("@angular/cli", "ng"),
    ("@anthropic-ai/claude-code", "claude"),
    ("@architect/architect", "arc"),
    ("@aws-amplify/backend-cli", "ampx"),
    ("@aws-amplify/cli", "amplify"),
    ("@azure/static-web-apps-cli", "swa"),
    ("@babel/cli", "babel"),
    ("@bitwarden/cli", "bw"),
    ("@capacitor/cli", "cap"),
    ("@changesets/cli", "changeset"),
    ("@cloudbase/cli", "tcb"),
    ("@commitlint/cli", "commitlint"),
    ("@devcontainers/cli", "devcontainer"),
    ("@directus/cli", "directus"),
    ("@edgio/cli", "edgio"),
    ("@electron-forge/cli", "electron-forge"),
    ("@google/gemini-cli", "gemini"),
    ("@graphprotocol/graph-cli", "graph"),
    ("@graphql-codegen/cli", "graphql-codegen"),
    ("@hubspot/cli", "hs"),
    ("@infisical/cli", "infisical"),
    ("@ionic/cli", "ionic"),
    ("@lhci/cli", "lhci"),
    ("@medusajs/medusa-cli", "medusa"),
    ("@mermaid-js/mermaid-cli", "mmdc"),
    ("@mikro-orm/cli", "mikro-orm"),
    ("@mongosh/cli-repl", "mongosh"),
    ("@nestjs/cli", "nest"),
    ("@openzeppelin/cli", "oz"),
    ("@playwright/test", "playwright"),
    ("@pnp/cli-microsoft365", "m365"),
    ("@railway/cli", "railway"),
    ("@react-native-community/cli", "rnc-cli"),
    ("@redocly/cli", "redocly"),
    ("@salesforce/cli", "sf"),
    ("@sanity/cli", "sanity"),
    ("@sap/cds-dk", "cds"),
    ("@sentry/cli", "sentry-cli"),
    ("@shopify/cli", "shopify"),
    ("@stoplight/prism-cli", "prism"),
    ("@swc/cli", "swc"),
    ("@tauri-apps/cli", "tauri"),
    ("@upstash/cli", "upstash"),
    ("@vue/cli", "vue"),
    ("@vue/cli-service", "vue-cli-service"),
    ("@wordpress/env", "wp-env"),
    ("appcenter-cli", "appcenter"),
    ("auth0-deploy-cli", "a0deploy"),
    ("aws-cdk", "cdk"),
    ("azure-functions-core-tools", "func"),
    ("cdktf-cli", "cdktf"),
    ("chokidar-cli", "chokidar"),
    ("code-push-cli", "code-push"),
    ("contentful-cli", "contentful"),
    ("cpy-cli", "cpy"),
    ("dotenv-cli", "dotenv"),
    ("eas-cli", "eas"),
    ("firebase-tools", "firebase"),
    ("gatsby-cli", "gatsby"),
    ("ghost-cli", "ghost"),
    ("ipfs", "jsipfs"),
    ("kysely-ctl", "kysely"),
    ("localtunnel", "lt"),
    ("near-cli", "near"),
    ("netlify-cli", "netlify"),
    ("postgrator-cli", "postgrator"),
    ("react-native-cli", "react-native"),
    ("sfdx-cli", "sfdx"),
    ("sharp-cli", "sharp"),
    ("solc", "solcjs"),
    ("trash-cli", "trash"),
    ("twilio-cli", "twilio"),
    ("typescript", "tsc"),
    ("watch-cli", "watch"),
    ("zapier-platform-cli", "zapier-platform"),
];

/// The program that a package of npm brings, where that has another name.
pub(super) fn program_of(package: &str) -> Option<&'static str> {
    let row = OF_NPM.binary_search_by(|(name, _)| (*name).cmp(package)).ok()?;
    OF_NPM.get(row).map(|(_, program)| *program)
}

#[test]
fn packages_are_sorted_and_lead_to_programs_of_other_names() {
    assert!(OF_NPM.is_sorted_by_key(|(package, _)| package));
    for (package, program) in OF_NPM {
        assert!(!package.ends_with(&format!("/{program}")) && package != program, "{package}");
    }
}
