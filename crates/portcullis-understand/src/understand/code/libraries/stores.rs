//! What lies elsewhere and is handled like files or tables of one's own: object stores opened as file systems, notebooks' utilities,
//! tables that frames are written into, the registry of Windows, desktop programs.

use super::{
    Card,
    Doing::{Class as Tool, *},
};
use crate::contract::Class;

pub(super) const CARDS: &[Card] = &[
    // https://filesystem-spec.readthedocs.io/en/latest/api.html, https://arrow.apache.org/docs/python/filesystems.html,
    // https://cloudpathlib.drivendata.org, https://universal-pathlib.readthedocs.io, https://developmentseed.org/obstore,
    // https://docs.databricks.com/aws/en/dev-tools/databricks-utils, https://hdfscli.readthedocs.io, https://docs.pyfilesystem.org
    Card {
        modules: &[
            "adlfs",
            "cloudpathlib",
            "fs_s3fs",
            "fsspec",
            "gcsfs",
            "hdfs",
            "hdfs3",
            "obstore",
            "ocifs",
            "ossfs",
            "pyarrow.fs",
            "pyarrow.hdfs",
            "s3fs",
            "snakebite",
            "upath",
            "webhdfs",
        ],
        habits: &["dbutils"],
        methods: &[
            ("filesystem", Opens),
            ("from_uri", Opens),
            ("url_to_fs", Opens),
            ("delete", Removes),
            ("delete_dir", Removes),
            ("delete_dir_contents", Removes),
            ("delete_file", Removes),
            ("delete_root_dir_contents", Removes),
            ("remove", Removes),
            ("rm", Removes),
            ("rm_file", Removes),
            ("rmdir", Removes),
            ("rmtree", Removes),
            ("unlink", Removes),
        ],
        otherwise: Some(Quiet),
    },
    // https://pandas.pydata.org/docs/reference/api/pandas.DataFrame.to_sql.html, https://docs.pola.rs/api/python/stable/reference
    Card {
        modules: &["pandas", "polars", "geopandas", "modin", "awswrangler"],
        habits: &["df", "gdf"],
        methods: &[
            ("to_sql", WritesTable),
            ("to_postgis", WritesTable),
            ("to_gbq", WritesTable),
            ("write_database", WritesTable),
            ("mysql.to_sql", Loads),
            ("postgresql.to_sql", Loads),
            ("redshift.copy", Loads),
            ("redshift.to_sql", Loads),
            ("s3.delete_objects", Tool(Class::Delete)),
            ("catalog.delete_database", Tool(Class::Delete)),
            ("catalog.delete_table_if_exists", Tool(Class::Delete)),
        ],
        otherwise: Some(Quiet),
    },
    // https://docs.python.org/3/library/winreg.html
    Card {
        modules: &["_winreg", "winreg"],
        habits: &[],
        methods: &[
            ("create_key", Registry),
            ("create_key_ex", Registry),
            ("delete_key", Registry),
            ("delete_key_ex", Registry),
            ("delete_value", Registry),
            ("open_key", Registry),
            ("open_key_ex", Registry),
            ("set_value", Registry),
            ("set_value_ex", Registry),
        ],
        otherwise: Some(Quiet),
    },
    // https://www.electronjs.org/docs/latest/api/app, …/safe-storage
    Card {
        modules: &["electron"],
        habits: &[],
        methods: &[("decrypt_string", Secret), ("set_login_item_settings", StartsAtLogin)],
        otherwise: Some(Quiet),
    },
];
