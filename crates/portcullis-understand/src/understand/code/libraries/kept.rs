//! What people and teams keep in tables of a service, and the shape of databases that is taken back step by step.

use super::{
    Card,
    Doing::{Class as Tool, *},
};
use crate::contract::Class;

pub(super) const CARDS: &[Card] = &[
    // https://docs.gspread.org/en/latest/api, https://pygsheets.readthedocs.io, https://theoephraim.github.io/node-google-spreadsheet
    Card {
        modules: &[
            "gspread",
            "gspread_asyncio",
            "gspread_dataframe",
            "pygsheets",
            "google-spreadsheet",
        ],
        habits: &[],
        methods: &[
            ("batch_clear", Tool(Class::Delete)),
            ("clear", Tool(Class::Delete)),
            ("clear_rows", Tool(Class::Delete)),
            ("del_spreadsheet", Tool(Class::Delete)),
            ("del_worksheet", Tool(Class::Delete)),
            ("del_worksheet_by_id", Tool(Class::Delete)),
            ("delete", Tool(Class::Delete)),
            ("delete_columns", Tool(Class::Delete)),
            ("delete_cols", Tool(Class::Delete)),
            ("delete_row", DeletesOne),
            ("delete_rows", Tool(Class::Delete)),
            ("delete_sheet", Tool(Class::Delete)),
            ("delete_worksheet", Tool(Class::Delete)),
            ("row.delete", DeletesOne),
            ("rows.delete", DeletesOne),
            ("values_batch_clear", Tool(Class::Delete)),
            ("values_clear", Tool(Class::Delete)),
            ("insert_permission", Tool(Class::Share)),
            ("share", Tool(Class::Share)),
            ("transfer_ownership", Tool(Class::Administer)),
        ],
        otherwise: Some(Quiet),
    },
    // https://github.com/sequelize/umzug, https://github.com/seppevs/migrate-mongo, https://db-migrate.readthedocs.io
    Card {
        modules: &["db-migrate", "migrate-mongo", "postgrator", "umzug"],
        habits: &[],
        methods: &[
            ("down", Tool(Class::Delete)),
            ("reset", Tool(Class::Delete)),
            ("undo", Tool(Class::Delete)),
        ],
        otherwise: Some(Quiet),
    },
    // https://flask-migrate.readthedocs.io, https://ollycope.com/software/yoyo, https://tortoise.github.io/aerich.html,
    // https://github.com/klen/peewee_migrate
    Card {
        modules: &["aerich", "flask_migrate", "peewee_migrate", "yoyo"],
        habits: &[],
        methods: &[
            ("downgrade", Tool(Class::Delete)),
            ("rollback", Tool(Class::Delete)),
            ("rollback_migrations", Tool(Class::Delete)),
            ("rollback_one", Tool(Class::Delete)),
        ],
        otherwise: Some(Quiet),
    },
];
