//! Contracts of the tools of Home Assistant.

use super::{Server, Tool};
use crate::contract::{Class, Meaning};

pub(super) static SERVER: Server = Server {
    names: &["home-assistant", "homeassistant", "hass"],
    source: "https://www.home-assistant.io/integrations/mcp_server/",
    foreign: false,
    reads: &[
        "get_live_context",
        "get_date_time",
        "hass_get_state",
        "hass_climate_get_temperature",
        "hass_get_weather",
        "hass_get_current_date",
        "hass_get_current_time",
        "get_state",
        "list_entities",
    ],
    changes: &[
        "hass_turn_on",
        "hass_turn_off",
        "hass_light_set",
        "hass_set_position",
        "hass_climate_set_temperature",
        "hass_media_pause",
        "hass_media_unpause",
        "hass_media_next",
        "hass_media_previous",
        "hass_set_volume",
        "hass_vacuum_start",
        "hass_vacuum_return_to_base",
        "hass_start_timer",
        "hass_cancel_timer",
        "hass_list_add_item",
        "hass_list_complete_item",
        "hass_shopping_list_add_item",
        "hass_media_search_and_play",
        "toggle_entity",
    ],
    tools: &[
        Tool::new("hass_broadcast", Class::Send, "message").with(&[("/message", Meaning::Text)]),
        Tool::new("trigger_automation", Class::Execute, "automation"),
    ],
};
