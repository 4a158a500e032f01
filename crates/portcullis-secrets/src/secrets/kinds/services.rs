//! Monitoring, identity, work and everything else that is rented.

use super::{Check::*, SecretType, critical, high, medium};

pub(super) const TYPES: &[SecretType] = &[
    high("newrelic-user-key", "New Relic", "New Relic user key", &["NRAK-<w27>"]).entropy(28),
    high(
        "newrelic-insert-key",
        "New Relic",
        "New Relic insert key",
        &["NRII-<u32>", "NRIQ-<u32>", "NRRA-<h42>"],
    )
    .entropy(28),
    high(
        "newrelic-license-key",
        "New Relic",
        "New Relic license key",
        &["<h36>NRAL", "<h6>FFFF<h26>NRAL"],
    )
    .entropy(28),
    medium("newrelic-browser-key", "New Relic", "New Relic browser key", &["NRJS-<h19>"])
        .entropy(28),
    critical(
        "grafana-service-account",
        "Grafana",
        "Grafana service account token",
        &["glsa_<w32>_<H8>"],
    )
    .check(Crc32Hex)
    .entropy(30),
    critical("grafana-cloud-token", "Grafana", "Grafana Cloud token", &["glc_<b32-400><=0-3>"])
        .entropy(33),
    critical("grafana-api-key", "Grafana", "Grafana API key", &["eyJrIjoi<w70-400><=0-3>"])
        .entropy(33),
    high(
        "sentry-user-token",
        "Sentry",
        "Sentry user token",
        &["sntryu_<h64>", "sntrya_<h64>", "sntryi_<h64>"],
    )
    .entropy(30),
    critical(
        "sentry-org-token",
        "Sentry",
        "Sentry organization token",
        &["sntrys_eyJ<B20+>_<b43>"],
    )
    .entropy(33),
    high("sentry-token", "Sentry", "Sentry token of the old form", &["<h64>"])
        .keywords(&["sentry"])
        .entropy(30),
    critical(
        "dynatrace-token",
        "Dynatrace",
        "Dynatrace token",
        &[
            "dt0c01.<w24>.<w64>",
            "dt0s01.<w24>.<w64>",
            "dt0s02.<w8-24>.<w64>",
            "dt0s16.<w8-24>.<w64>",
            "dt0e01.<w24>.<w64>",
        ],
    )
    .entropy(33),
    high(
        "honeycomb-key",
        "Honeycomb",
        "Honeycomb key",
        &[
            "hcaik_<a58>",
            "hcxik_<a58>",
            "hcaic_<a58>",
            "hcbik_<a58>",
            "hcalk_<a58>",
            "hcxlk_<a58>",
            "hcblk_<a58>",
        ],
    )
    .entropy(30),
    high("datadog-key", "Datadog", "Datadog API or application key", &["<h32>", "<w40>"])
        .keywords(&["datadog", "dd_api", "dd-api", "dd_app", "dd-app", "ddapi"])
        .entropy(28),
    high(
        "datadog-token",
        "Datadog",
        "Datadog token",
        &["ddapi_<w32-60>", "ddapp_<w32-60>", "ddpat_<w32-60>"],
    )
    .entropy(30),
    high("sumologic-access-id", "Sumo Logic", "Sumo Logic access id", &["su<w12>"])
        .keywords(&["sumologic", "sumo_logic", "sumo-logic", "sumo"])
        .entropy(28)
        .check(Mixed),
    high("sumologic-token", "Sumo Logic", "Sumo Logic access key", &["<w64>"])
        .keywords(&["sumologic", "sumo_logic", "sumo-logic", "sumo"])
        .entropy(33),
    high("splunk-token", "Splunk", "Splunk token", &["<U>"]).keywords(&["splunk"]).entropy(28),
    high("posthog-key", "PostHog", "PostHog personal key", &["phx_<w43-49>", "phs_<w43-49>"])
        .entropy(33),
    high("launchdarkly-key", "LaunchDarkly", "LaunchDarkly key", &["sdk-<U>", "api-<U>"]),
    high("launchdarkly-token", "LaunchDarkly", "LaunchDarkly access token", &["<v40>"])
        .keywords(&["launchdarkly", "launch_darkly", "launch-darkly"])
        .entropy(30),
    high(
        "linear-key",
        "Linear",
        "Linear API key",
        &["lin_api_<w40>", "lin_oauth_<h64>", "lin_wh_<w40>"],
    )
    .entropy(28),
    high("linear-client-secret", "Linear", "Linear client secret", &["<h32>"])
        .keywords(&["linear"])
        .entropy(28),
    high("notion-token", "Notion", "Notion integration token", &["ntn_<d11><w35>", "secret_<w43>"])
        .entropy(33),
    high("airtable-token", "Airtable", "Airtable access token", &["pat<w14>.<h64>"]).entropy(30),
    high("airtable-key", "Airtable", "Airtable API key", &["<w17>"])
        .keywords(&["airtable"])
        .entropy(28)
        .check(Mixed),
    medium(
        "figma-token",
        "Figma",
        "Figma access token",
        &["figd_<u40>", "figdr_<u40>", "figu_<u40>", "figo_<u40>"],
    )
    .entropy(33),
    medium("clickup-token", "ClickUp", "ClickUp token", &["pk_<d6-9>_<A32>"]).entropy(28),
    medium("readme-key", "ReadMe", "ReadMe API key", &["rdme_<a70>"]).entropy(28),
    medium("typeform-token", "Typeform", "Typeform token", &["tfp_<t59>"]).entropy(30),
    critical("okta-token", "Okta", "Okta API token", &["00<v40>"])
        .keywords(&["okta", "ssws"])
        .entropy(38)
        .near(&["oktaKey = 00000000000000000000000000000000000TUVWXYZ"]),
    critical("auth0-secret", "Okta", "Auth0 client secret", &["<u64>"])
        .keywords(&["auth0"])
        .entropy(35),
    critical(
        "authress-key",
        "Authress",
        "Authress access key",
        &[
            "sc_<w5-30>.<w4-6>.acc_<u10-32>.<k30-120>",
            "ext_<w5-30>.<w4-6>.acc_<u10-32>.<k30-120>",
            "scauth_<w5-30>.<w4-6>.acc_<u10-32>.<k30-120>",
            "authress_<w5-30>.<w4-6>.acc_<u10-32>.<k30-120>",
            "sc_<w5-30>.<w4-6>.acc-<u10-32>.<k30-120>",
            "ext_<w5-30>.<w4-6>.acc-<u10-32>.<k30-120>",
            "scauth_<w5-30>.<w4-6>.acc-<u10-32>.<k30-120>",
            "authress_<w5-30>.<w4-6>.acc-<u10-32>.<k30-120>",
        ],
    )
    .entropy(28),
    critical("workos-key", "WorkOS", "WorkOS API key", &["sk_live_<w60-90>", "sk_test_<w60-90>"])
        .keywords(&["workos"])
        .entropy(33),
    critical("clerk-key", "Clerk", "Clerk secret key", &["sk_live_<w40-60>", "sk_test_<w40-60>"])
        .keywords(&["clerk"])
        .entropy(33),
    critical("salesforce-session", "Salesforce", "Salesforce session", &["00D<w12-15>!<t80-260>"])
        .entropy(33),
    high(
        "hubspot-token",
        "HubSpot",
        "HubSpot private app token",
        &["pat-na1-<U>", "pat-na2-<U>", "pat-eu1-<U>", "pat-ap1-<U>"],
    ),
    high("hubspot-key", "HubSpot", "HubSpot API key", &["<U>"]).keywords(&["hubspot"]).entropy(28),
    high(
        "facebook-page-token",
        "Meta",
        "Meta access token",
        &["EAAM<w100+>", "EAAC<w100+>", "EAA<w100+>"],
    )
    .entropy(38),
    high("facebook-app-token", "Meta", "Meta app access token", &["<d15-16>|<u27-40>"])
        .keywords(&["facebook", "fb_", "access_token"])
        .entropy(30),
    high("facebook-secret", "Meta", "Meta app secret", &["<h32>"])
        .keywords(&["facebook", "fb_app", "fb_secret"])
        .entropy(28),
    high("instagram-token", "Meta", "Instagram access token", &["IGQV<u100+>", "IGAA<u100+>"])
        .entropy(33),
    high(
        "twitter-bearer",
        "X",
        "X bearer token",
        &["AAAAAAAAAAAAAAAAAAAAA<p80-100>", "AAAAAAAAAAAAAAAAAAAAAA<p80-100>"],
    )
    .entropy(25),
    high("twitter-token", "X", "X access token", &["<d15-25>-<w20-40>"])
        .keywords(&["twitter"])
        .entropy(28),
    high("twitter-key", "X", "X API key or secret", &["<w25>", "<w45>", "<w50>"])
        .keywords(&["twitter"])
        .entropy(30),
    high("mapbox-secret", "Mapbox", "Mapbox secret token", &["sk.eyJ<u40-140>.<u22>"]).entropy(33),
    medium("mapbox-public", "Mapbox", "Mapbox token", &["pk.<w60>.<w22>"])
        .keywords(&["mapbox"])
        .entropy(33),
    high(
        "dropbox-token",
        "Dropbox",
        "Dropbox access token",
        &["sl.u.<u130+>", "sl.<v130-160>", "sl.<u130+>"],
    )
    .entropy(35),
    high("dropbox-long-token", "Dropbox", "long-lived Dropbox token", &["<w11>AAAAAAAAAA<v43>"])
        .entropy(30),
    high("dropbox-key", "Dropbox", "Dropbox app secret", &["<a15>"])
        .keywords(&["dropbox"])
        .entropy(28),
    high("contentful-token", "Contentful", "Contentful management token", &["CFPAT-<u43>"])
        .entropy(33),
    high("contentful-delivery-token", "Contentful", "Contentful delivery token", &["<v43>"])
        .keywords(&["contentful"])
        .entropy(33),
    high("adobe-client-secret", "Adobe", "Adobe client secret", &["p8e-<w32>", "p8e-<u32>"])
        .entropy(28),
    high("adobe-client-id", "Adobe", "Adobe client id", &["<h32>"])
        .keywords(&["adobe"])
        .entropy(28),
    high("frameio-token", "Adobe", "Frame.io token", &["fio-u-<v64>"]).entropy(33),
    high(
        "asana-token",
        "Asana",
        "Asana access token",
        &["0/<h32>", "1/<d13-20>:<h32>", "2/<d13-20>/<d13-20>:<h32>"],
    )
    .keywords(&["asana"])
    .entropy(28),
    high("asana-secret", "Asana", "Asana client id or secret", &["<a32>", "<d16>"])
        .keywords(&["asana"])
        .entropy(25),
    high("monday-token", "monday.com", "monday.com token", &["eyJ<u20+>.<u20+>.<u20+>"])
        .keywords(&["monday"])
        .check(JsonWebToken)
        .entropy(30),
    high("etsy-token", "Etsy", "Etsy API key", &["<a24>"]).keywords(&["etsy"]).entropy(28),
    high("flickr-key", "Flickr", "Flickr API key", &["<w32>"]).keywords(&["flickr"]).entropy(28),
    high(
        "linkedin-secret",
        "LinkedIn",
        "LinkedIn client credential",
        &["<w14>", "<w16>", "WPL_AP1.<w16>.<w6>==", "WPL_AP1.<d1>.<w16>.<b6-10><=0-2>"],
    )
    .keywords(&["linkedin", "linked_in", "linked-in"])
    .entropy(25),
    high("looker-key", "Google", "Looker credential", &["<a20>", "<a24>"])
        .keywords(&["looker"])
        .entropy(28),
    high("maxmind-key", "MaxMind", "MaxMind license key", &["<w6>_<w29>_mmk"]).entropy(33),
    high("nytimes-token", "The New York Times", "New York Times API key", &["<v32>"])
        .keywords(&["nytimes", "newyorktimes", "new-york-times"])
        .entropy(30),
    high("intra42-secret", "42", "42 intra client secret", &["s-s4t2ud-<H64>", "s-s4t2af-<H64>"]),
    high("rapidapi-key", "RapidAPI", "RapidAPI key", &["<u50>"])
        .keywords(&["rapidapi", "rapid_api"])
        .entropy(33),
    high("squarespace-token", "Squarespace", "Squarespace access token", &["<U>"])
        .keywords(&["squarespace"])
        .entropy(28),
    high("spotify-secret", "Spotify", "Spotify client secret", &["<h32>"])
        .keywords(&["spotify"])
        .entropy(28),
    high("twitch-token", "Twitch", "Twitch token", &["<a30>"]).keywords(&["twitch"]).entropy(28),
    high("adafruit-key", "Adafruit", "Adafruit IO key", &["aio_<w28>"]).entropy(30),
    high("adafruit-named-key", "Adafruit", "Adafruit key", &["<u32>"])
        .keywords(&["adafruit"])
        .entropy(30),
    high("freemius-key", "Freemius", "Freemius secret key", &["sk_<s29>"])
        .keywords(&["freemius", "secret_key"])
        .entropy(35),
    high("shodan-key", "Shodan", "Shodan API key", &["<w32>"]).keywords(&["shodan"]).entropy(35),
    high("virustotal-key", "Google", "VirusTotal API key", &["<h64>"])
        .keywords(&["virustotal", "vt_api"])
        .entropy(30),
    high("ipinfo-token", "IPinfo", "IPinfo token", &["<h14>"]).keywords(&["ipinfo"]).entropy(25),
    high("pexels-key", "Pexels", "Pexels API key", &["<w56>"]).keywords(&["pexels"]).entropy(35),
    high("unsplash-key", "Unsplash", "Unsplash key", &["<u43>"])
        .keywords(&["unsplash"])
        .entropy(35),
    high("openweather-key", "OpenWeather", "OpenWeather API key", &["<h32>"])
        .keywords(&["openweather", "owm_"])
        .entropy(28),
    high("mixpanel-secret", "Mixpanel", "Mixpanel secret", &["<h32>"])
        .keywords(&["mixpanel"])
        .entropy(28),
    high("amplitude-key", "Amplitude", "Amplitude key", &["<h32>"])
        .keywords(&["amplitude"])
        .entropy(28),
    high("bugsnag-key", "SmartBear", "Bugsnag API key", &["<h32>"])
        .keywords(&["bugsnag"])
        .entropy(28),
    high("rollbar-token", "Rollbar", "Rollbar access token", &["<h32>"])
        .keywords(&["rollbar"])
        .entropy(28),
    high("logdna-key", "Mezmo", "Mezmo ingestion key", &["<h32>"])
        .keywords(&["logdna", "mezmo"])
        .entropy(28),
    high("loggly-token", "SolarWinds", "Loggly token", &["<U>"])
        .keywords(&["loggly", "papertrail"])
        .entropy(28),
    high("pendo-key", "Pendo", "Pendo integration key", &["<U>.<w5>"])
        .keywords(&["pendo"])
        .entropy(28),
    high(
        "zapier-webhook",
        "Zapier",
        "Zapier webhook address",
        &["hooks.zapier.com/hooks/catch/<d5-9>/<w5-10>"],
    )
    .entropy(20),
    high(
        "ifttt-webhook",
        "IFTTT",
        "IFTTT webhook address",
        &["maker.ifttt.com/trigger/<u1-60>/with/key/<u20-60>"],
    )
    .entropy(28),
    high("planning-center-key", "Planning Center", "Planning Center token", &["pco_pat_<h64>"])
        .entropy(28),
    high("thunderstore-token", "Thunderstore", "Thunderstore token", &["tss_<u30-60>"]).entropy(33),
    high("pubnub-key", "PubNub", "PubNub secret key", &["sec-c-<b60-70><=0-2>", "sec-c-<U>"])
        .entropy(28),
    medium(
        "pubnub-client-key",
        "PubNub",
        "PubNub publish or subscribe key",
        &["pub-c-<U>", "sub-c-<U>"],
    ),
    high("ably-key", "Ably", "Ably API key", &["<u6>.<u6>:<u43>"]).keywords(&["ably"]).entropy(33),
    high("agora-certificate", "Agora", "Agora app certificate", &["<h32>"])
        .keywords(&["agora"])
        .entropy(28),
    high("livekit-secret", "LiveKit", "LiveKit API secret", &["<w43-44>"])
        .keywords(&["livekit"])
        .entropy(35),
    high("uploadthing-key", "UploadThing", "UploadThing secret", &["sk_live_<h64>"])
        .keywords(&["uploadthing"])
        .entropy(30),
    high("webflow-token", "Webflow", "Webflow API token", &["<h64>"])
        .keywords(&["webflow"])
        .entropy(30),
    high("storyblok-token", "Storyblok", "Storyblok token", &["<w22>tt"])
        .keywords(&["storyblok"])
        .entropy(28),
    high("sanity-token", "Sanity", "Sanity token", &["sk<w80-180>"])
        .keywords(&["sanity"])
        .entropy(35),
    high("trello-token", "Atlassian", "Trello token", &["ATTA<h60><X8>", "<h64>", "<h32>"])
        .keywords(&["trello"])
        .entropy(28),
    high("todoist-token", "Doist", "Todoist API token", &["<h40>"])
        .keywords(&["todoist"])
        .entropy(28),
    high("zoom-secret", "Zoom", "Zoom client secret", &["<w32>"])
        .keywords(&["zoom"])
        .entropy(33)
        .check(Mixed),
    high("docusign-secret", "DocuSign", "DocuSign key", &["<U>"])
        .keywords(&["docusign"])
        .entropy(28),
    high("box-secret", "Box", "Box client secret", &["<w32>"])
        .keywords(&["box_client", "boxclient"])
        .entropy(30),
    high("strava-secret", "Strava", "Strava client secret", &["<h40>"])
        .keywords(&["strava"])
        .entropy(28),
    high("reddit-secret", "Reddit", "Reddit client secret", &["<u27>", "<u30>"])
        .keywords(&["reddit"])
        .entropy(33)
        .check(Mixed),
];
