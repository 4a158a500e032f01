//! Databases, warehouses, search and streams.

use super::{Check::*, SecretType, critical, high};

pub(super) const TYPES: &[SecretType] = &[
    critical(
        "planetscale-token",
        "PlanetScale",
        "PlanetScale credential",
        &["pscale_tkn_<t32-64>", "pscale_pw_<t32-64>", "pscale_oauth_<t32-64>"],
    )
    .entropy(30),
    critical("supabase-token", "Supabase", "Supabase access token", &["sbp_<h40>", "sbp_v0_<h40>"])
        .entropy(30),
    critical("supabase-secret-key", "Supabase", "Supabase secret key", &["sb_secret_<u31>"])
        .entropy(30),
    critical("neon-key", "Neon", "Neon API key", &["napi_<a64>"]).entropy(30),
    critical(
        "databricks-token",
        "Databricks",
        "Databricks access token",
        &["dapi<h32>-<d1>", "dapi<h32>", "dose<h32>", "dkea<h32>"],
    )
    .entropy(30)
    .near(&["dapi12345678901234567890123456789012"]),
    critical("confluent-secret", "Confluent", "Confluent Cloud secret", &["cflt<b60>"]).entropy(38),
    critical(
        "mongodb-atlas-secret",
        "MongoDB",
        "MongoDB Atlas service account secret",
        &["mdb_sa_sk_<u40>"],
    )
    .entropy(30),
    critical("cockroach-key", "Cockroach Labs", "CockroachDB Cloud key", &["CCDB1_<w22>_<w40>"])
        .entropy(30),
    critical("elastic-cloud-key", "Elastic", "Elastic Cloud API key", &["essu_<k60-220>"])
        .entropy(30),
    critical("clickhouse-key", "ClickHouse", "ClickHouse Cloud key", &["4b1d<w38>"])
        .entropy(35)
        .near(&["4b1dXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX"]),
    critical("datastax-token", "DataStax", "DataStax Astra token", &["AstraCS:<w24>:<h64>"]),
    critical(
        "aiven-token",
        "Aiven",
        "Aiven token or password",
        &["AVNS_<u16-24>", "aivenv1<b200+><=0-2>"],
    )
    .entropy(28),
    critical("turso-token", "Turso", "Turso platform token", &["turso_<u30-80>"])
        .keywords(&["turso"])
        .entropy(30),
    critical("airbyte-key", "Airbyte", "Airbyte API key", &["airbyte_<w40-80>"]).entropy(30),
    critical("segment-token", "Segment", "Segment public API token", &["sgp_<w64>"]).entropy(35),
    critical(
        "dbt-token",
        "dbt Labs",
        "dbt Cloud token",
        &["dbtc_<u34-60>", "dbtu_<u34-60>", "dbts_<u34-60>"],
    )
    .entropy(30),
    critical("tableau-token", "Salesforce", "Tableau personal access token", &["<b22>==:<w32>"])
        .entropy(35),
    critical("tinybird-token", "Tinybird", "Tinybird token", &["p.eyJ<u20+>.<u20+>"]).entropy(30),
    critical("fauna-key", "Fauna", "Fauna key", &["fnA<u37>"]).entropy(35),
    critical("upstash-token", "Upstash", "Upstash REST token", &["<k40-110>"])
        .keywords(&["upstash"])
        .entropy(35)
        .check(Mixed),
    critical("confluent-key", "Confluent", "Confluent Cloud key", &["<w64>", "<w16>"])
        .keywords(&["confluent"])
        .entropy(30),
    critical("snowflake-token", "Snowflake", "Snowflake password or token", &["<u30-300>"])
        .keywords(&["snowflake"])
        .entropy(35)
        .check(Mixed),
    high("algolia-key", "Algolia", "Algolia API key", &["<w32>"])
        .keywords(&["algolia"])
        .entropy(28),
    high("meilisearch-key", "Meilisearch", "Meilisearch key", &["<h64>", "<u43>"])
        .keywords(&["meili"])
        .entropy(30),
    critical("mongodb-atlas-key", "MongoDB", "MongoDB Atlas private key", &["<U>"])
        .keywords(&["atlas", "mongodb"])
        .entropy(28),
    critical("kaggle-token", "Kaggle", "Kaggle API token", &["KGAT_<h32>"]).entropy(28),
    critical("kaggle-key", "Kaggle", "Kaggle API key", &["<h32>"])
        .keywords(&["kaggle"])
        .entropy(28),
    critical("influxdb-token", "InfluxData", "InfluxDB token", &["<u86>=="])
        .keywords(&["influx"])
        .entropy(35),
];
