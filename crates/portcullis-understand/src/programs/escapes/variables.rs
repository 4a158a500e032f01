//! Variables of the environment that programs with a manual obey: what the ones hold that have a meaning, and which names there
//! are at all. Of a program's own variables (`GIT_…` for git) a name that no manual has is not understood.
//!
//! Sources: git(1) and its kin, ansible-config(1), The Cargo Book, docker(1), `gh help environment`, `helm help`, ld.so(8), less(1),
//! man(1), node(1), perlrun(1), python(1), rsync(1), ruby(1), ssh(1), tar(1), Terraform's "Environment Variables", uv's.

use portcullis_syntax::Span;

use super::by_manual::{loaded, named_program, options_in_variable, script};
use crate::{
    effect::{Argument, GapReason, WriteMode},
    programs::{escapes, host::Host, invocation::Invocation, manuals::Words},
    text::Text,
};

/// Variables whose names begin alike.
struct Family {
    start: &'static str,
    /// The programs whose they are; empty for all.
    programs: Words,
    /// The names that the manuals have.
    known: Words,
}

/// The families, sorted.
static FAMILIES: &[Family] = &[
    Family {
        start: "ANSIBLE_",
        programs: Words(
            "ansible ansible-config ansible-console ansible-doc ansible-galaxy ansible-inventory \
            ansible-playbook ansible-pull ansible-vault",
        ),
        known: Words(
            "ANSIBLE_ACTION_PLUGINS ANSIBLE_ACTION_WARNINGS ANSIBLE_AGNOSTIC_BECOME_PROMPT \
            ANSIBLE_ANY_ERRORS_FATAL ANSIBLE_ASK_PASS ANSIBLE_ASK_VAULT_PASS ANSIBLE_BECOME \
            ANSIBLE_BECOME_ALLOW_SAME_USER ANSIBLE_BECOME_ASK_PASS ANSIBLE_BECOME_EXE \
            ANSIBLE_BECOME_FLAGS ANSIBLE_BECOME_METHOD ANSIBLE_BECOME_PASSWORD_FILE \
            ANSIBLE_BECOME_PLUGINS ANSIBLE_BECOME_USER ANSIBLE_CACHE_PLUGIN \
            ANSIBLE_CACHE_PLUGINS ANSIBLE_CACHE_PLUGIN_CONNECTION ANSIBLE_CACHE_PLUGIN_PREFIX \
            ANSIBLE_CACHE_PLUGIN_TIMEOUT ANSIBLE_CALLBACKS_ENABLED \
            ANSIBLE_CALLBACK_FORMAT_PRETTY ANSIBLE_CALLBACK_PLUGINS \
            ANSIBLE_CALLBACK_RESULT_FORMAT ANSIBLE_CALLBACK_WHITELIST ANSIBLE_CHECK_MODE_MARKERS \
            ANSIBLE_CLICONF_PLUGINS ANSIBLE_COLLECTIONS_ON_ANSIBLE_VERSION_MISMATCH \
            ANSIBLE_COLLECTIONS_PATH ANSIBLE_COLLECTIONS_PATHS ANSIBLE_COLLECTIONS_SCAN_SYS_PATH \
            ANSIBLE_COLOR_CHANGED ANSIBLE_COLOR_CONSOLE_PROMPT ANSIBLE_COLOR_DEBUG \
            ANSIBLE_COLOR_DEPRECATE ANSIBLE_COLOR_DIFF_ADD ANSIBLE_COLOR_DIFF_LINES \
            ANSIBLE_COLOR_DIFF_REMOVE ANSIBLE_COLOR_ERROR ANSIBLE_COLOR_HIGHLIGHT \
            ANSIBLE_COLOR_OK ANSIBLE_COLOR_SKIP ANSIBLE_COLOR_UNREACHABLE ANSIBLE_COLOR_VERBOSE \
            ANSIBLE_COLOR_WARN ANSIBLE_COMMAND_WARNINGS ANSIBLE_CONFIG \
            ANSIBLE_CONNECTION_PASSWORD_FILE ANSIBLE_CONNECTION_PATH ANSIBLE_CONNECTION_PLUGINS \
            ANSIBLE_COVERAGE_REMOTE_OUTPUT ANSIBLE_COVERAGE_REMOTE_PATH_FILTER \
            ANSIBLE_COW_ACCEPTLIST ANSIBLE_COW_PATH ANSIBLE_COW_SELECTION ANSIBLE_COW_WHITELIST \
            ANSIBLE_DEBUG ANSIBLE_DEPRECATION_WARNINGS ANSIBLE_DEVEL_WARNING ANSIBLE_DIFF_ALWAYS \
            ANSIBLE_DIFF_CONTEXT ANSIBLE_DISPLAY_ARGS_TO_STDOUT ANSIBLE_DISPLAY_FAILED_STDERR \
            ANSIBLE_DISPLAY_OK_HOSTS ANSIBLE_DISPLAY_SKIPPED_HOSTS ANSIBLE_DOC_FRAGMENT_PLUGINS \
            ANSIBLE_DUPLICATE_YAML_DICT_KEY ANSIBLE_ENABLE_TASK_DEBUGGER \
            ANSIBLE_ERROR_ON_MISSING_HANDLER ANSIBLE_ERROR_ON_UNDEFINED_VARS ANSIBLE_EXECUTABLE \
            ANSIBLE_FACTS_MODULES ANSIBLE_FACT_PATH ANSIBLE_FILTER_PLUGINS ANSIBLE_FORCE_COLOR \
            ANSIBLE_FORCE_HANDLERS ANSIBLE_FORKS ANSIBLE_GALAXY_CACHE_DIR \
            ANSIBLE_GALAXY_COLLECTION_SKELETON ANSIBLE_GALAXY_COLLECTION_SKELETON_IGNORE \
            ANSIBLE_GALAXY_DISABLE_GPG_VERIFY ANSIBLE_GALAXY_DISPLAY_PROGRESS \
            ANSIBLE_GALAXY_GPG_KEYRING ANSIBLE_GALAXY_IGNORE \
            ANSIBLE_GALAXY_IGNORE_SIGNATURE_STATUS_CODES \
            ANSIBLE_GALAXY_REQUIRED_VALID_SIGNATURE_COUNT ANSIBLE_GALAXY_ROLE_SKELETON \
            ANSIBLE_GALAXY_ROLE_SKELETON_IGNORE ANSIBLE_GALAXY_SERVER ANSIBLE_GALAXY_SERVER_LIST \
            ANSIBLE_GALAXY_TOKEN_PATH ANSIBLE_GATHERING ANSIBLE_GATHER_SUBSET \
            ANSIBLE_GATHER_TIMEOUT ANSIBLE_HASH_BEHAVIOUR ANSIBLE_HOME ANSIBLE_HOST_KEY_CHECKING \
            ANSIBLE_HOST_PATTERN_MISMATCH ANSIBLE_HTTPAPI_PLUGINS ANSIBLE_INJECT_FACT_VARS \
            ANSIBLE_INVALID_TASK_ATTRIBUTE_FAILED ANSIBLE_INVENTORY \
            ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED ANSIBLE_INVENTORY_CACHE \
            ANSIBLE_INVENTORY_CACHE_CONNECTION ANSIBLE_INVENTORY_CACHE_PLUGIN \
            ANSIBLE_INVENTORY_CACHE_PLUGIN_PREFIX ANSIBLE_INVENTORY_CACHE_TIMEOUT \
            ANSIBLE_INVENTORY_ENABLED ANSIBLE_INVENTORY_EXPORT ANSIBLE_INVENTORY_IGNORE \
            ANSIBLE_INVENTORY_IGNORE_REGEX ANSIBLE_INVENTORY_PLUGINS \
            ANSIBLE_INVENTORY_UNPARSED_FAILED ANSIBLE_INVENTORY_UNPARSED_WARNING \
            ANSIBLE_JINJA2_EXTENSIONS ANSIBLE_JINJA2_NATIVE ANSIBLE_JINJA2_NATIVE_WARNING \
            ANSIBLE_KEEP_REMOTE_FILES ANSIBLE_LIBRARY ANSIBLE_LIBVIRT_LXC_NOSECLABEL \
            ANSIBLE_LINT_IGNORE_FILE ANSIBLE_LINT_NODEPS ANSIBLE_LINT_OFFLINE \
            ANSIBLE_LINT_SKIP_SCHEMA_UPDATE ANSIBLE_LOAD_CALLBACK_PLUGINS \
            ANSIBLE_LOCALHOST_WARNING ANSIBLE_LOCAL_TEMP ANSIBLE_LOG_FILTER ANSIBLE_LOG_PATH \
            ANSIBLE_LOOKUP_PLUGINS ANSIBLE_MAX_DIFF_SIZE ANSIBLE_MODULE_ARGS \
            ANSIBLE_MODULE_IGNORE_EXTS ANSIBLE_MODULE_UTILS ANSIBLE_NETCONF_PLUGINS \
            ANSIBLE_NETCONF_SSH_CONFIG ANSIBLE_NETWORK_GROUP_MODULES ANSIBLE_NOCOLOR \
            ANSIBLE_NOCOWS ANSIBLE_NO_LOG ANSIBLE_NO_TARGET_SYSLOG ANSIBLE_NULL_REPRESENTATION \
            ANSIBLE_OLD_PLUGIN_CACHE_CLEAR ANSIBLE_PARAMIKO_HOST_KEY_AUTO_ADD \
            ANSIBLE_PARAMIKO_LOOK_FOR_KEYS ANSIBLE_PERSISTENT_COMMAND_TIMEOUT \
            ANSIBLE_PERSISTENT_CONNECT_RETRY_TIMEOUT ANSIBLE_PERSISTENT_CONNECT_TIMEOUT \
            ANSIBLE_PERSISTENT_CONTROL_PATH_DIR ANSIBLE_PIPELINING ANSIBLE_PLAYBOOK_DIR \
            ANSIBLE_PLAYBOOK_VARS_ROOT ANSIBLE_POLL_INTERVAL ANSIBLE_PRECEDENCE \
            ANSIBLE_PRIVATE_KEY_FILE ANSIBLE_PRIVATE_ROLE_VARS ANSIBLE_PYTHON_INTERPRETER \
            ANSIBLE_PYTHON_MODULE_RLIMIT_NOFILE ANSIBLE_REMOTE_PORT ANSIBLE_REMOTE_TEMP \
            ANSIBLE_REMOTE_TMP ANSIBLE_REMOTE_USER ANSIBLE_RETRY_FILES_ENABLED \
            ANSIBLE_RETRY_FILES_SAVE_PATH ANSIBLE_ROLES_PATH ANSIBLE_RUN_TAGS \
            ANSIBLE_RUN_VARS_PLUGINS ANSIBLE_SCP_EXECUTABLE ANSIBLE_SCP_EXTRA_ARGS \
            ANSIBLE_SCP_IF_SSH ANSIBLE_SELINUX_SPECIAL_FS ANSIBLE_SFTP_BATCH_MODE \
            ANSIBLE_SFTP_EXECUTABLE ANSIBLE_SFTP_EXTRA_ARGS \
            ANSIBLE_SHELL_ALLOW_WORLD_READABLE_TEMP ANSIBLE_SHOW_CUSTOM_STATS \
            ANSIBLE_SHOW_PER_HOST_START ANSIBLE_SHOW_TASK_PATH_ON_FAILURE ANSIBLE_SKIP_TAGS \
            ANSIBLE_SSH_ARGS ANSIBLE_SSH_COMMON_ARGS ANSIBLE_SSH_CONTROL_PATH \
            ANSIBLE_SSH_CONTROL_PATH_DIR ANSIBLE_SSH_EXECUTABLE ANSIBLE_SSH_EXTRA_ARGS \
            ANSIBLE_SSH_HOST_KEY_CHECKING ANSIBLE_SSH_PASSWORD_MECHANISM ANSIBLE_SSH_PIPELINING \
            ANSIBLE_SSH_RETRIES ANSIBLE_SSH_TIMEOUT ANSIBLE_SSH_TRANSFER_METHOD \
            ANSIBLE_SSH_USETTY ANSIBLE_SSH_VERBOSITY ANSIBLE_STDOUT_CALLBACK ANSIBLE_STRATEGY \
            ANSIBLE_STRATEGY_PLUGINS ANSIBLE_STRING_CONVERSION_ACTION \
            ANSIBLE_STRING_TYPE_FILTERS ANSIBLE_SU ANSIBLE_SYSLOG_FACILITY \
            ANSIBLE_SYSTEM_WARNINGS ANSIBLE_TASK_DEBUGGER_IGNORE_ERRORS ANSIBLE_TASK_TIMEOUT \
            ANSIBLE_TERMINAL_PLUGINS ANSIBLE_TEST_PLUGINS ANSIBLE_TIMEOUT \
            ANSIBLE_TRANSFORM_INVALID_GROUP_CHARS ANSIBLE_TRANSPORT \
            ANSIBLE_USE_PERSISTENT_CONNECTIONS ANSIBLE_VALIDATE_ACTION_GROUP_METADATA \
            ANSIBLE_VARS_ENABLED ANSIBLE_VARS_PLUGINS ANSIBLE_VAULT_ENCRYPT_IDENTITY \
            ANSIBLE_VAULT_IDENTITY ANSIBLE_VAULT_IDENTITY_LIST ANSIBLE_VAULT_ID_MATCH \
            ANSIBLE_VAULT_PASSWORD ANSIBLE_VAULT_PASSWORD_FILE ANSIBLE_VERBOSE_TO_STDERR \
            ANSIBLE_VERBOSITY ANSIBLE_VERSION_MISMATCH ANSIBLE_WIN_ASYNC_STARTUP_TIMEOUT \
            ANSIBLE_WORKER_SHUTDOWN_POLL_COUNT ANSIBLE_WORKER_SHUTDOWN_POLL_DELAY \
            ANSIBLE_YAML_FILENAME_EXT",
        ),
    },
    Family {
        start: "CARGO_",
        programs: Words("cargo"),
        known: Words(
            "CARGO_BAZEL_REPIN CARGO_BIN_NAME CARGO_BUILD_BUILD_DIR CARGO_BUILD_DEP_INFO_BASEDIR \
            CARGO_BUILD_INCREMENTAL CARGO_BUILD_JOBS CARGO_BUILD_TARGET CARGO_BUILD_TARGET_DIR \
            CARGO_BUILD_WARNINGS CARGO_CACHE_RUSTC_INFO CARGO_CARGO_NEW_VCS CARGO_CRATE_NAME \
            CARGO_EMAIL CARGO_ENCODED_RUSTDOCFLAGS CARGO_ENCODED_RUSTFLAGS CARGO_FEATURE \
            CARGO_FUTURE_INCOMPAT_REPORT_FREQUENCY CARGO_HOME CARGO_HTTP_CAINFO \
            CARGO_HTTP_CHECK_REVOKE CARGO_HTTP_DEBUG CARGO_HTTP_LOW_SPEED_LIMIT \
            CARGO_HTTP_MULTIPLEXING CARGO_HTTP_SSL_VERSION CARGO_HTTP_TIMEOUT \
            CARGO_HTTP_USER_AGENT CARGO_INCREMENTAL CARGO_INSTALL_ROOT CARGO_LOCKED CARGO_LOG \
            CARGO_MAKEFLAGS CARGO_MANIFEST_DIR CARGO_MANIFEST_PATH CARGO_NAME \
            CARGO_NET_GIT_FETCH_WITH_CLI CARGO_NET_OFFLINE CARGO_NET_RETRY CARGO_PKG_NAME \
            CARGO_PKG_VERSION CARGO_PRIMARY_PACKAGE CARGO_PROFILE CARGO_REGISTRY_DEFAULT \
            CARGO_REGISTRY_TOKEN CARGO_RESOLVER_INCOMPATIBLE_RUST_VERSIONS \
            CARGO_RUSTC_CURRENT_DIR CARGO_TARGET CARGO_TARGET_DIR CARGO_TARGET_TMPDIR CARGO_TERM \
            CARGO_TERM_COLOR CARGO_TERM_HYPERLINKS CARGO_TERM_PROGRESS_WHEN \
            CARGO_TERM_PROGRESS_WIDTH CARGO_TERM_QUIET CARGO_TERM_UNICODE CARGO_TERM_VERBOSE \
            CARGO_UNSTABLE_SPARSE_REGISTRY CARGO_WORKSPACE_DIR",
        ),
    },
    Family {
        start: "DOCKER_",
        programs: Words("docker"),
        known: Words(
            "DOCKER_API_VERSION DOCKER_AUTH_CONFIG DOCKER_BUILDKIT DOCKER_BUILD_SUMMARY \
            DOCKER_CERT_PATH DOCKER_CLI_EXPERIMENTAL DOCKER_CLI_HINTS DOCKER_CONFIG \
            DOCKER_CONTENT_TRUST DOCKER_CONTENT_TRUST_REPOSITORY_PASSPHRASE \
            DOCKER_CONTENT_TRUST_ROOT_PASSPHRASE DOCKER_CONTENT_TRUST_SERVER DOCKER_CONTEXT \
            DOCKER_CUSTOM_HEADERS DOCKER_DEFAULT_PLATFORM DOCKER_DRIVER \
            DOCKER_HIDE_LEGACY_COMMANDS DOCKER_HOST DOCKER_SCAN_SUGGEST DOCKER_TLS \
            DOCKER_TLS_VERIFY",
        ),
    },
    Family { start: "DYLD_", programs: Words::NONE, known: Words::NONE },
    Family {
        start: "GH_",
        programs: Words("gh"),
        known: Words(
            "GH_ACCESSIBLE_COLORS GH_ACCESSIBLE_PROMPTER GH_BROWSER GH_COLOR_LABELS GH_CONFIG_DIR \
            GH_DEBUG GH_EDITOR GH_ENTERPRISE_TOKEN GH_FORCE_TTY GH_HOST GH_MDWIDTH \
            GH_NO_EXTENSION_UPDATE_NOTIFIER GH_NO_UPDATE_NOTIFIER GH_PAGER GH_PATH \
            GH_PROMPT_DISABLED GH_REPO GH_SPINNER_DISABLED GH_TELEMETRY GH_TOKEN",
        ),
    },
    Family {
        start: "GIT_",
        programs: Words("git git-receive-pack git-upload-pack"),
        known: Words(
            "GIT_ADVICE GIT_ALLOW_PROTOCOL GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_ASKPASS \
            GIT_ATTR_GLOBAL GIT_ATTR_NOSYSTEM GIT_ATTR_SOURCE GIT_ATTR_SYSTEM GIT_AUTHOR_DATE \
            GIT_AUTHOR_EMAIL GIT_AUTHOR_IDENT GIT_AUTHOR_NAME GIT_CEILING_DIRECTORIES \
            GIT_CLONE_PROTECTION_ACTIVE GIT_COMMITTER_DATE GIT_COMMITTER_EMAIL \
            GIT_COMMITTER_IDENT GIT_COMMITTER_NAME GIT_COMMON_DIR GIT_COMPLETION_SHOW_ALL \
            GIT_CONFIG GIT_CONFIG_COUNT GIT_CONFIG_GLOBAL GIT_CONFIG_NOGLOBAL \
            GIT_CONFIG_NOSYSTEM GIT_CONFIG_PARAMETERS GIT_CONFIG_SYSTEM GIT_CRYPT_DISABLE \
            GIT_CURL_FTP_NO_EPSV GIT_CURL_VERBOSE GIT_DEFAULT_BRANCH GIT_DEFAULT_HASH \
            GIT_DEFAULT_REF_FORMAT GIT_DIFFTOOL_DIRDIFF GIT_DIFFTOOL_EXTCMD \
            GIT_DIFFTOOL_NO_PROMPT GIT_DIFFTOOL_PROMPT GIT_DIFFTOOL_TRUST_EXIT_CODE \
            GIT_DIFF_OPTS GIT_DIFF_PATH_COUNTER GIT_DIFF_PATH_TOTAL GIT_DIFF_TOOL GIT_DIR \
            GIT_DISCOVERY_ACROSS_FILESYSTEM GIT_EDITOR GIT_EXEC_PATH GIT_EXTERNAL_DIFF \
            GIT_EXT_SERVICE GIT_EXT_SERVICE_NOPREFIX GIT_FLUSH GIT_GLOB_PATHSPECS \
            GIT_GNOME_KEYRING GIT_GRAFT_FILE GIT_GUITOOL GIT_HTTP_EXPORT_ALL \
            GIT_HTTP_LOW_SPEED_LIMIT GIT_HTTP_LOW_SPEED_TIME GIT_HTTP_MAX_REQUESTS \
            GIT_HTTP_MAX_REQUEST_BUFFER GIT_HTTP_PROXY_AUTHMETHOD GIT_HTTP_USER_AGENT \
            GIT_ICASE_PATHSPECS GIT_IMPLICIT_WORK_TREE GIT_INDEX_FILE GIT_INDEX_VERSION \
            GIT_INTERNAL_SUPER_PREFIX GIT_LFS_FORCE_PROGRESS GIT_LFS_PROGRESS \
            GIT_LFS_SET_LOCKABLE_READONLY GIT_LFS_SKIP_PUSH GIT_LFS_SKIP_SMUDGE \
            GIT_LITERAL_PATHSPECS GIT_LOCALE GIT_MAN_VIEWER GIT_MERGETOOL_GUI GIT_MERGE_AUTOEDIT \
            GIT_MERGE_TOOL GIT_MERGE_VERBOSITY GIT_NAMESPACE GIT_NOGLOB_PATHSPECS \
            GIT_NOTES_DISPLAY_REF GIT_NOTES_REF GIT_NOTES_REWRITE_MODE GIT_NOTES_REWRITE_REF \
            GIT_NO_LAZY_FETCH GIT_NO_REPLACE_OBJECTS GIT_OBJECT_DIRECTORY GIT_OPTIONAL_LOCKS \
            GIT_PAGER GIT_PERF GIT_PREFIX GIT_PRINT_SHA1_ELLIPSIS GIT_PROGRESS_DELAY \
            GIT_PROJECT_ROOT GIT_PROTOCOL GIT_PROTOCOL_FROM_USER GIT_PROXY_COMMAND \
            GIT_PROXY_SSL_CAINFO GIT_PROXY_SSL_CERT GIT_PROXY_SSL_CERT_PASSWORD_PROTECTED \
            GIT_PROXY_SSL_KEY GIT_PS1_SHOWDIRTYSTATE GIT_PUSH_CERT GIT_PUSH_CERT_KEY \
            GIT_PUSH_CERT_NONCE GIT_PUSH_CERT_NONCE_SLOP GIT_PUSH_CERT_NONCE_STATUS \
            GIT_PUSH_CERT_SIGNER GIT_PUSH_CERT_STATUS GIT_PUSH_NONCE GIT_QUARANTINE_PATH \
            GIT_REDIRECT_STDERR GIT_REDIRECT_STDIN GIT_REDIRECT_STDOUT GIT_REFLOG_ACTION \
            GIT_REF_FORMAT GIT_REF_PARANOIA GIT_REPLACE_REF_BASE GIT_SEQUENCE_EDITOR \
            GIT_SHALLOW_FILE GIT_SMART_HTTP GIT_SSH GIT_SSH_COMMAND GIT_SSH_VARIANT \
            GIT_SSL_CAINFO GIT_SSL_CAPATH GIT_SSL_CERT GIT_SSL_CERT_PASSWORD_PROTECTED \
            GIT_SSL_CIPHER_LIST GIT_SSL_KEY GIT_SSL_NO_VERIFY GIT_SSL_VERSION GIT_TEMPLATE_DIR \
            GIT_TERMINAL_PROMPT GIT_TEST_DATE_NOW GIT_TRACE GIT_TRACE2 GIT_TRACE2_BRIEF \
            GIT_TRACE2_CONFIG_PARAMS GIT_TRACE2_DST_DEBUG GIT_TRACE2_ENV_VARS GIT_TRACE2_EVENT \
            GIT_TRACE2_EVENT_BRIEF GIT_TRACE2_EVENT_NESTING GIT_TRACE2_MAX_FILES \
            GIT_TRACE2_PARENT_NAME GIT_TRACE2_PARENT_SID GIT_TRACE2_PERF GIT_TRACE2_PERF_BRIEF \
            GIT_TRACE_CURL GIT_TRACE_CURL_NO_DATA GIT_TRACE_FSMONITOR GIT_TRACE_PACKET \
            GIT_TRACE_PACKFILE GIT_TRACE_PACK_ACCESS GIT_TRACE_PERFORMANCE GIT_TRACE_REDACT \
            GIT_TRACE_REFS GIT_TRACE_SETUP GIT_TRACE_SHALLOW GIT_TRACE_SSH GIT_TRANSLOOP_DEBUG \
            GIT_URL GIT_USER_AGENT GIT_WORK_TREE",
        ),
    },
    Family {
        start: "HELM_",
        programs: Words("helm"),
        known: Words(
            "HELM_BIN HELM_BURST_LIMIT HELM_CACHE_HOME HELM_COLOR HELM_CONFIG_HOME \
            HELM_CONTENT_CACHE HELM_DATA_HOME HELM_DEBUG HELM_DRIVER \
            HELM_DRIVER_SQL_CONNECTION_STRING HELM_EXPERIMENTAL_OCI HELM_KUBEAPISERVER \
            HELM_KUBEASGROUPS HELM_KUBEASUSER HELM_KUBECAFILE HELM_KUBECONTEXT \
            HELM_KUBEINSECURE_SKIP_TLS_VERIFY HELM_KUBETLS_SERVER_NAME HELM_KUBETOKEN \
            HELM_MAX_HISTORY HELM_NAMESPACE HELM_NO_PLUGINS HELM_PLUGINS HELM_QPS \
            HELM_REGISTRY_CONFIG HELM_REPOSITORY_CACHE HELM_REPOSITORY_CONFIG",
        ),
    },
    Family {
        start: "LD_",
        programs: Words::NONE,
        known: Words(
            "LD_AUDIT LD_BIND_NOT LD_BIND_NOW LD_DEBUG LD_DYNAMIC_WEAK LD_HWCAP_MASK \
            LD_LIBRARY_PATH LD_POINTER_GUARD LD_PREFER_MAP_32BIT_EXEC LD_PRELOAD LD_SHOW_AUXV \
            LD_TRACE_LOADED_OBJECTS LD_USE_LOAD_BIAS LD_VERBOSE LD_WARN",
        ),
    },
    Family {
        start: "LESS",
        programs: Words("less"),
        known: Words(
            "LESS LESSAN LESSANSIENDCHARS LESSANSIMIDCHARS LESSBINFMT LESSCHARDEF LESSCHARSET \
            LESSCLOSE LESSECHO LESSEDIT LESSGLOBALTAGS LESSHISTFILE LESSHISTSIZE LESSKEY \
            LESSKEYIN LESSKEYIN_SYSTEM LESSKEY_CONTENT LESSKEY_CONTENT_SYSTEM LESSKEY_SYSTEM \
            LESSMETACHARS LESSMETAESCAPE LESSNOCONFIG LESSOPEN LESSQUIET LESSSECURE \
            LESSSECURE_ALLOW LESSSEPARATOR LESSUTFBINFMT LESSUTFCHARDEF LESS_COLUMNS \
            LESS_DATA_DELAY LESS_IS_MORE LESS_LINES LESS_OSC8_ANY LESS_SHELL_LINES LESS_SIGUSR1 \
            LESS_TERMCAP_mb LESS_TERMCAP_md LESS_TERMCAP_me LESS_TERMCAP_se LESS_TERMCAP_so \
            LESS_TERMCAP_ue LESS_TERMCAP_us LESS_UNSUPPORT",
        ),
    },
    Family {
        start: "MAN",
        programs: Words("man"),
        known: Words(
            "MANCOLOR MANDEFAULTPATH MANLESS MANOPT MANPAGER MANPATH MANROFFOPT MANROFFSEQ \
            MANSECT MANWIDTH MAN_DISABLE_SECCOMP MAN_KEEP_FORMATTING MAN_KEEP_STDERR MAN_PN \
            MAN_POSIXLY_CORRECT",
        ),
    },
    Family {
        start: "NODE_",
        programs: Words("node nodejs"),
        known: Words(
            "NODE_APP_INSTANCE NODE_AUTH_TOKEN NODE_BINARY NODE_CHANNEL_FD \
            NODE_CLUSTER_SCHED_POLICY NODE_COMPAT NODE_COMPILE_CACHE NODE_COMPILE_CACHE_PORTABLE \
            NODE_CONFIG NODE_CONFIG_DIR NODE_CONFIG_ENV NODE_DB NODE_DEBUG NODE_DEBUG_NATIVE \
            NODE_DISABLE_COLORS NODE_DISABLE_COMPILE_CACHE NODE_ENV NODE_EXTRA_CA_CERTS \
            NODE_HOST NODE_ICU_DATA NODE_NO_WARNINGS NODE_OPTIONS NODE_PATH \
            NODE_PENDING_DEPRECATION NODE_PENDING_PIPE_INSTANCES NODE_PORT \
            NODE_PRESERVE_SYMLINKS NODE_REDIRECT_WARNINGS NODE_REPL_EXTERNAL_MODULE \
            NODE_REPL_HISTORY NODE_SKIP_PLATFORM_CHECK NODE_TEST_CONTEXT \
            NODE_TLS_REJECT_UNAUTHORIZED NODE_UNIQUE_ID NODE_USE_ENV_PROXY NODE_USE_SYSTEM_CA \
            NODE_V8_COVERAGE NODE_VERSION",
        ),
    },
    Family {
        start: "PERL5",
        programs: Words("perl"),
        known: Words("PERL5DB PERL5DB_THREADED PERL5LIB PERL5OPT PERL5SHELL"),
    },
    Family {
        start: "PYTHON",
        programs: Words("python python2 python3"),
        known: Words(
            "PYTHON PYTHONASYNCIODEBUG PYTHONBREAKPOINT PYTHONCASEOK PYTHONCOERCECLOCALE PYTHONDEBUG \
            PYTHONDEVMODE PYTHONDONTWRITEBYTECODE PYTHONDUMPREFS PYTHONEXECUTABLE \
            PYTHONFAULTHANDLER PYTHONHASHSEED PYTHONHOME PYTHONHTTPSVERIFY PYTHONINSPECT \
            PYTHONINTMAXSTRDIGITS PYTHONIOENCODING PYTHONLEGACYWINDOWSFSENCODING \
            PYTHONLEGACYWINDOWSSTDIO PYTHONMALLOC PYTHONMALLOCSTATS PYTHONNODEBUGRANGES \
            PYTHONNOUSERSITE PYTHONOPTIMIZE PYTHONPATH PYTHONPERFSUPPORT PYTHONPLATLIBDIR \
            PYTHONPROFILEIMPORTTIME PYTHONPYCACHEPREFIX PYTHONSAFEPATH PYTHONSTARTUP \
            PYTHONTHREADDEBUG PYTHONTRACEMALLOC PYTHONUNBUFFERED PYTHONUSERBASE PYTHONUTF8 \
            PYTHONVERBOSE PYTHONWARNDEFAULTENCODING PYTHONWARNINGS PYTHON_BASIC_REPL \
            PYTHON_COLORS PYTHON_CPU_COUNT PYTHON_FROZEN_MODULES PYTHON_GIL PYTHON_HISTORY \
            PYTHON_JIT PYTHON_PERF_JIT_SUPPORT PYTHON_PRESITE PYTHON_VERSION",
        ),
    },
    Family {
        start: "RSYNC_",
        programs: Words("rsync"),
        known: Words(
            "RSYNC_CHECKSUM_LIST RSYNC_COMPRESS_LIST RSYNC_CONNECT_PROG RSYNC_ICONV \
            RSYNC_MAX_ALLOC RSYNC_OLD_ARGS RSYNC_PARTIAL_DIR RSYNC_PASSWORD RSYNC_PORT \
            RSYNC_PROTECT_ARGS RSYNC_PROXY RSYNC_RSH RSYNC_SHELL",
        ),
    },
    Family {
        start: "RUBY",
        programs: Words("ruby"),
        known: Words(
            "RUBYGEMS_HOST RUBYLIB RUBYLIB_PREFIX RUBYOPT RUBYPATH RUBYSHELL RUBY_BOX \
            RUBY_CRASH_REPORT RUBY_DEBUG RUBY_ENV RUBY_FIBER_VM_STACK_SIZE RUBY_FREE_AT_EXIT \
            RUBY_GC_HEAP_FREE_SLOTS RUBY_GC_HEAP_GROWTH_FACTOR RUBY_GC_HEAP_INIT_SLOTS \
            RUBY_GC_MALLOC_LIMIT RUBY_GC_MALLOC_LIMIT_MAX RUBY_GC_OLDMALLOC_LIMIT RUBY_MAX_CPU \
            RUBY_MN_THREADS RUBY_TCP_NO_FAST_FALLBACK RUBY_THREAD_TIMESLICE \
            RUBY_THREAD_VM_STACK_SIZE RUBY_VERSION RUBY_YJIT_ENABLE",
        ),
    },
    Family {
        start: "SSH_",
        programs: Words("scp sftp ssh ssh-add ssh-agent ssh-copy-id ssh-keygen"),
        known: Words(
            "SSH_AGENT_PID SSH_ASKPASS SSH_ASKPASS_REQUIRE SSH_AUTH_SOCK SSH_CLIENT \
            SSH_CONNECTION SSH_COPY_ID_LEGACY SSH_ORIGINAL_COMMAND SSH_PKCS11_HELPER \
            SSH_SK_HELPER SSH_SK_PROVIDER SSH_TTY SSH_TUNNEL SSH_USER_AUTH SSH_USE_STRONG_RNG",
        ),
    },
    Family {
        start: "TAR_",
        programs: Words("gtar tar"),
        known: Words("TAR_LONGLINK_100 TAR_OPTIONS TAR_READER_OPTIONS TAR_WRITER_OPTIONS"),
    },
    Family {
        start: "TF_",
        programs: Words("terraform tofu"),
        known: Words(
            "TF_ACC TF_APPEND_USER_AGENT TF_CLI_ARGS TF_CLI_CONFIG_FILE TF_CLOUD_HOSTNAME \
            TF_CLOUD_ORGANIZATION TF_CLOUD_PROJECT TF_DATA_DIR TF_ENCRYPTION TF_IGNORE TF_INPUT \
            TF_IN_AUTOMATION TF_LOG TF_LOG_CORE TF_LOG_PATH TF_LOG_PROVIDER TF_PLUGIN_CACHE_DIR \
            TF_PLUGIN_CACHE_MAY_BREAK_DEPENDENCY_LOCK_FILE TF_REATTACH_PROVIDERS \
            TF_REGISTRY_CLIENT_TIMEOUT TF_REGISTRY_DISCOVERY_RETRY TF_SKIP_PROVIDER_VERIFY \
            TF_STATE_PERSIST_INTERVAL TF_WORKSPACE",
        ),
    },
    Family {
        start: "UV_",
        programs: Words("uv uvx"),
        known: Words(
            "UV_ASTRAL_MIRROR_URL UV_BREAK_SYSTEM_PACKAGES UV_BUILD_CONSTRAINT UV_CACHE_DIR \
            UV_COMPILE_BYTECODE UV_COMPILE_BYTECODE_TIMEOUT UV_CONCURRENT_BUILDS \
            UV_CONCURRENT_DOWNLOADS UV_CONCURRENT_INSTALLS UV_CONFIG_FILE UV_CONSTRAINT \
            UV_CREDENTIALS_DIR UV_CUSTOM_COMPILE_COMMAND UV_DEFAULT_INDEX UV_DEV UV_ENV_FILE \
            UV_EXCLUDE UV_EXCLUDE_NEWER UV_EXTRA UV_EXTRA_INDEX_URL UV_FIND_LINKS \
            UV_FORK_STRATEGY UV_FROZEN UV_GITHUB_TOKEN UV_GIT_LFS UV_HTTP_RETRIES \
            UV_HTTP_TIMEOUT UV_INDEX UV_INDEX_STRATEGY UV_INDEX_URL UV_INIT_BUILD_BACKEND \
            UV_INSECURE_HOST UV_INSTALLER_GITHUB_BASE_URL UV_INSTALL_DIR UV_ISOLATED \
            UV_KEYRING_PROVIDER UV_LIBC UV_LINK_MODE UV_LOCKED UV_LOCK_TIMEOUT UV_MANAGED_PYTHON \
            UV_NATIVE_TLS UV_NO_BINARY UV_NO_BINARY_PACKAGE UV_NO_BUILD UV_NO_BUILD_ISOLATION \
            UV_NO_BUILD_PACKAGE UV_NO_CACHE UV_NO_CONFIG UV_NO_DEFAULT_GROUPS UV_NO_DEV \
            UV_NO_EDITABLE UV_NO_ENV_FILE UV_NO_GITHUB_FAST_PATH UV_NO_GROUP UV_NO_INSTALL_LOCAL \
            UV_NO_INSTALL_PROJECT UV_NO_INSTALL_WORKSPACE UV_NO_MANAGED_PYTHON UV_NO_MODIFY_PATH \
            UV_NO_PROGRESS UV_NO_PROJECT UV_NO_SOURCES UV_NO_SOURCES_PACKAGE UV_NO_SYNC \
            UV_NO_VERIFY_HASHES UV_NO_WRAP UV_OFFLINE UV_OVERRIDE UV_PRERELEASE UV_PREVIEW \
            UV_PROJECT UV_PROJECT_ENVIRONMENT UV_PUBLISH_CHECK_URL UV_PUBLISH_INDEX \
            UV_PUBLISH_NO_ATTESTATIONS UV_PUBLISH_PASSWORD UV_PUBLISH_TOKEN UV_PUBLISH_URL \
            UV_PUBLISH_USERNAME UV_PYPY_INSTALL_MIRROR UV_PYTHON UV_PYTHON_BIN_DIR \
            UV_PYTHON_DOWNLOADS UV_PYTHON_DOWNLOADS_JSON_URL UV_PYTHON_INSTALL_BIN \
            UV_PYTHON_INSTALL_DIR UV_PYTHON_INSTALL_MIRROR UV_PYTHON_INSTALL_REGISTRY \
            UV_PYTHON_PREFERENCE UV_REQUEST_TIMEOUT UV_REQUIRE_HASHES UV_REQUIRE_VIRTUALENV \
            UV_RESOLUTION UV_RUN_MAX_RECURSION_DEPTH UV_RUN_RECURSION_DEPTH UV_SHOW_RESOLUTION \
            UV_SKIP_WHEEL_FILENAME_CHECK UV_STACK_SIZE UV_SYSTEM_CERTS UV_SYSTEM_PYTHON \
            UV_TEST_NO_CLI_PROGRESS UV_TOOL_BIN_DIR UV_TOOL_DIR UV_TORCH_BACKEND \
            UV_UNMANAGED_INSTALL UV_VENV_CLEAR UV_VENV_RELOCATABLE UV_VENV_SEED UV_WORKING_DIR",
        ),
    },
];

/// What a variable holds.
#[derive(Clone, Copy, Debug)]
enum Holds {
    /// A function that is called, `module.name`.
    Callable,
    /// Code in this language.
    Code(&'static str),
    /// Settings or plugins.
    Loads,
    /// Options of this program.
    Options(&'static str),
    /// A command behind `|`; a file otherwise.
    Piped,
    /// A program, or a command.
    Program,
    /// Options of the Rust compiler.
    Rustc,
    /// Code that is loaded, or directories of it.
    Script,
    /// A tape, which may be another machine's.
    Tape,
    /// The name of a file that is written.
    Written,
}

/// Variables that hold such a thing, beside those of the escapes; sorted.
static HOLDERS: &[(&str, Holds)] = &[
    ("ANSIBLE_ACTION_PLUGINS", Holds::Loads),
    ("ANSIBLE_BECOME_EXE", Holds::Program),
    ("ANSIBLE_BECOME_PASSWORD_FILE", Holds::Program),
    ("ANSIBLE_BECOME_PLUGINS", Holds::Loads),
    ("ANSIBLE_CACHE_PLUGINS", Holds::Loads),
    ("ANSIBLE_CALLBACK_PLUGINS", Holds::Loads),
    ("ANSIBLE_CLICONF_PLUGINS", Holds::Loads),
    ("ANSIBLE_COLLECTIONS_PATH", Holds::Loads),
    ("ANSIBLE_COLLECTIONS_PATHS", Holds::Loads),
    ("ANSIBLE_CONFIG", Holds::Loads),
    ("ANSIBLE_CONNECTION_PASSWORD_FILE", Holds::Program),
    ("ANSIBLE_CONNECTION_PLUGINS", Holds::Loads),
    ("ANSIBLE_COW_PATH", Holds::Program),
    ("ANSIBLE_DOC_FRAGMENT_PLUGINS", Holds::Loads),
    ("ANSIBLE_EXECUTABLE", Holds::Program),
    ("ANSIBLE_FILTER_PLUGINS", Holds::Loads),
    ("ANSIBLE_HOME", Holds::Loads),
    ("ANSIBLE_HTTPAPI_PLUGINS", Holds::Loads),
    ("ANSIBLE_INVENTORY", Holds::Loads),
    ("ANSIBLE_INVENTORY_PLUGINS", Holds::Loads),
    ("ANSIBLE_LIBRARY", Holds::Loads),
    ("ANSIBLE_LOG_PATH", Holds::Written),
    ("ANSIBLE_LOOKUP_PLUGINS", Holds::Loads),
    ("ANSIBLE_MODULE_UTILS", Holds::Loads),
    ("ANSIBLE_NETCONF_PLUGINS", Holds::Loads),
    ("ANSIBLE_PYTHON_INTERPRETER", Holds::Program),
    ("ANSIBLE_ROLES_PATH", Holds::Loads),
    ("ANSIBLE_SCP_EXECUTABLE", Holds::Program),
    ("ANSIBLE_SCP_EXTRA_ARGS", Holds::Options("scp")),
    ("ANSIBLE_SFTP_EXECUTABLE", Holds::Program),
    ("ANSIBLE_SFTP_EXTRA_ARGS", Holds::Options("sftp")),
    ("ANSIBLE_SSH_ARGS", Holds::Options("ssh")),
    ("ANSIBLE_SSH_COMMON_ARGS", Holds::Options("ssh")),
    ("ANSIBLE_SSH_EXECUTABLE", Holds::Program),
    ("ANSIBLE_SSH_EXTRA_ARGS", Holds::Options("ssh")),
    ("ANSIBLE_STRATEGY_PLUGINS", Holds::Loads),
    ("ANSIBLE_TERMINAL_PLUGINS", Holds::Loads),
    ("ANSIBLE_TEST_PLUGINS", Holds::Loads),
    ("ANSIBLE_VARS_PLUGINS", Holds::Loads),
    ("ANSIBLE_VAULT_PASSWORD_FILE", Holds::Program),
    ("AR", Holds::Program),
    ("AWKLIBPATH", Holds::Script),
    ("AWKPATH", Holds::Script),
    ("BUNDLER_EDITOR", Holds::Program),
    ("BUNDLE_GEMFILE", Holds::Loads),
    ("BUN_INSTALL", Holds::Loads),
    ("CARGO", Holds::Program),
    ("CARGO_BUILD_RUSTC", Holds::Program),
    ("CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER", Holds::Program),
    ("CARGO_BUILD_RUSTDOC", Holds::Program),
    ("CARGO_BUILD_RUSTDOCFLAGS", Holds::Rustc),
    ("CARGO_BUILD_RUSTFLAGS", Holds::Rustc),
    ("CARGO_ENCODED_RUSTFLAGS", Holds::Rustc),
    ("CARGO_HOME", Holds::Loads),
    ("CC", Holds::Program),
    ("CCACHE_COMPILER", Holds::Program),
    ("CCACHE_PREFIX", Holds::Program),
    ("CHROME_BIN", Holds::Program),
    ("CMAKE_CXX_COMPILER", Holds::Program),
    ("CMAKE_CXX_COMPILER_LAUNCHER", Holds::Program),
    ("CMAKE_C_COMPILER", Holds::Program),
    ("CMAKE_C_COMPILER_LAUNCHER", Holds::Program),
    ("COMPOSER_HOME", Holds::Loads),
    ("CPP", Holds::Program),
    ("CURL_HOME", Holds::Loads),
    ("CXX", Holds::Program),
    ("DENO_DIR", Holds::Loads),
    ("DIFFPROG", Holds::Program),
    ("FC", Holds::Program),
    ("GCONV_PATH", Holds::Loads),
    ("GDBHISTFILE", Holds::Written),
    ("GEM_EDITOR", Holds::Program),
    ("GEM_HOME", Holds::Loads),
    ("GEM_PATH", Holds::Loads),
    ("GH_CONFIG_DIR", Holds::Loads),
    ("GIO_EXTRA_MODULES", Holds::Script),
    ("GIT_ALTERNATE_OBJECT_DIRECTORIES", Holds::Loads),
    ("GIT_TRACE", Holds::Written),
    ("GIT_TRACE2", Holds::Written),
    ("GIT_TRACE2_EVENT", Holds::Written),
    ("GIT_TRACE2_PERF", Holds::Written),
    ("GIT_TRACE_CURL", Holds::Written),
    ("GIT_TRACE_FSMONITOR", Holds::Written),
    ("GIT_TRACE_PACKET", Holds::Written),
    ("GIT_TRACE_PACKFILE", Holds::Written),
    ("GIT_TRACE_PACK_ACCESS", Holds::Written),
    ("GIT_TRACE_PERFORMANCE", Holds::Written),
    ("GIT_TRACE_REFS", Holds::Written),
    ("GIT_TRACE_SETUP", Holds::Written),
    ("GIT_TRACE_SHALLOW", Holds::Written),
    ("GNUPGHOME", Holds::Loads),
    ("GOENV", Holds::Loads),
    ("GOFLAGS", Holds::Options("go")),
    ("GOROOT", Holds::Loads),
    ("GOTOOLCHAIN", Holds::Program),
    ("GRADLE_USER_HOME", Holds::Loads),
    ("GST_PLUGIN_PATH", Holds::Script),
    ("GTK_MODULES", Holds::Script),
    ("GTK_PATH", Holds::Loads),
    ("HELM_BIN", Holds::Program),
    ("HELM_CONFIG_HOME", Holds::Loads),
    ("HELM_DATA_HOME", Holds::Loads),
    ("HELM_PLUGINS", Holds::Loads),
    ("HELM_REGISTRY_CONFIG", Holds::Loads),
    ("HELM_REPOSITORY_CONFIG", Holds::Loads),
    ("INPUTRC", Holds::Loads),
    ("JAVA", Holds::Program),
    ("JAVACMD", Holds::Program),
    ("JAVA_OPTS", Holds::Options("java")),
    ("JAVA_TOOL_OPTIONS", Holds::Options("java")),
    ("JDK_JAVA_OPTIONS", Holds::Options("java")),
    ("JULIA_DEPOT_PATH", Holds::Loads),
    ("KUBECONFIG", Holds::Loads),
    ("KUBERC", Holds::Loads),
    ("LD", Holds::Program),
    ("LESSECHO", Holds::Program),
    ("LESSHISTFILE", Holds::Written),
    ("LESSKEYIN_SYSTEM", Holds::Loads),
    ("LESSKEY_SYSTEM", Holds::Loads),
    ("LEX", Holds::Program),
    ("LOCPATH", Holds::Loads),
    ("LUA_CPATH", Holds::Script),
    ("LUA_INIT", Holds::Code("lua")),
    ("LUA_PATH", Holds::Script),
    ("M2_HOME", Holds::Loads),
    ("MAKESHELL", Holds::Program),
    ("MAVEN_ARGS", Holds::Options("mvn")),
    ("MAVEN_HOME", Holds::Loads),
    ("MYSQL_HISTFILE", Holds::Written),
    ("MYSQL_HOME", Holds::Loads),
    ("MYVIMRC", Holds::Loads),
    ("NETRC", Holds::Loads),
    ("NM", Holds::Program),
    ("NODE", Holds::Program),
    ("NODE_OPTIONS", Holds::Options("node")),
    ("NODE_PATH", Holds::Script),
    ("NODE_REDIRECT_WARNINGS", Holds::Written),
    ("NODE_REPL_EXTERNAL_MODULE", Holds::Script),
    ("NODE_REPL_HISTORY", Holds::Written),
    ("NPM_CONFIG_NODEDIR", Holds::Loads),
    ("OBJCOPY", Holds::Program),
    ("OPENSSL_CONF", Holds::Loads),
    ("OPENSSL_ENGINES", Holds::Loads),
    ("OPENSSL_MODULES", Holds::Loads),
    ("PARALLEL", Holds::Options("parallel")),
    ("PARALLEL_HOME", Holds::Loads),
    ("PARALLEL_SHELL", Holds::Program),
    ("PARALLEL_SSH", Holds::Program),
    ("PERL5DB", Holds::Code("perl")),
    ("PERL5OPT", Holds::Options("perl")),
    ("PERL5SHELL", Holds::Program),
    ("PERLLIB", Holds::Script),
    ("PGPASSFILE", Holds::Loads),
    ("PGSERVICEFILE", Holds::Loads),
    ("PGSYSCONFDIR", Holds::Loads),
    ("PHPRC", Holds::Loads),
    ("PHP_INI_SCAN_DIR", Holds::Loads),
    ("PIPENV_PIPFILE", Holds::Loads),
    ("PKG_CONFIG", Holds::Program),
    ("POETRY_CONFIG_DIR", Holds::Loads),
    ("PSQLRC", Holds::Loads),
    ("PSQL_HISTORY", Holds::Written),
    ("PUPPETEER_EXECUTABLE_PATH", Holds::Program),
    ("PYTHONBREAKPOINT", Holds::Callable),
    ("PYTHONEXECUTABLE", Holds::Program),
    ("PYTHONHOME", Holds::Script),
    ("PYTHONPLATLIBDIR", Holds::Script),
    ("PYTHONUSERBASE", Holds::Script),
    ("PYTHON_HISTORY", Holds::Written),
    ("PYTHON_PRESITE", Holds::Script),
    ("QT_PLUGIN_PATH", Holds::Loads),
    ("RANLIB", Holds::Program),
    ("RSYNC_SHELL", Holds::Program),
    ("RUBYOPT", Holds::Options("ruby")),
    ("RUBYSHELL", Holds::Program),
    ("RUBY_CRASH_REPORT", Holds::Piped),
    ("RUSTDOC", Holds::Program),
    ("RUSTDOCFLAGS", Holds::Rustc),
    ("RUSTFLAGS", Holds::Rustc),
    ("RUSTFMT", Holds::Program),
    ("R_ENVIRON", Holds::Loads),
    ("R_ENVIRON_USER", Holds::Loads),
    ("R_LIBS", Holds::Loads),
    ("R_LIBS_USER", Holds::Loads),
    ("R_PROFILE", Holds::Loads),
    ("R_PROFILE_USER", Holds::Loads),
    ("SCREENRC", Holds::Loads),
    ("SQLITE_HISTORY", Holds::Written),
    ("SSLKEYLOGFILE", Holds::Written),
    ("STRIP", Holds::Program),
    ("SYSTEM_WGETRC", Holds::Loads),
    ("TAPE", Holds::Tape),
    ("TERRAFORM_CONFIG", Holds::Loads),
    ("TEXMFCNF", Holds::Loads),
    ("TF_CLI_ARGS", Holds::Options("terraform")),
    ("TF_CLI_CONFIG_FILE", Holds::Loads),
    ("TF_LOG_PATH", Holds::Written),
    ("UV_CONFIG_FILE", Holds::Loads),
    ("UV_ENV_FILE", Holds::Loads),
    ("UV_PYTHON", Holds::Program),
    ("VIM", Holds::Loads),
    ("VIMRUNTIME", Holds::Loads),
    ("WGETRC", Holds::Loads),
    ("YACC", Holds::Program),
    ("ZDOTDIR", Holds::Loads),
    ("ZIP", Holds::Options("zip")),
    ("ZIPOPT", Holds::Options("zip")),
    ("_JAVA_OPTIONS", Holds::Options("java")),
    ("npm_execpath", Holds::Program),
    ("npm_node_execpath", Holds::Program),
];

/// The variables that a program is given: those of its own that no manual has.
pub(super) fn follow(walk: &mut dyn Host, invocation: &Invocation) {
    // Files of compose hold variables that people name themselves.
    let is_own = |word: &Argument| matches!(word.text.as_known(), Some("compose" | "stack"));
    if invocation.program == "docker" && invocation.arguments.iter().any(is_own) {
        return;
    }
    for (name, _) in &invocation.environment {
        if is_unknown(&invocation.program, name) {
            walk.gap(invocation.span, GapReason::UnknownOption);
            return;
        }
    }
}

/// Whether a variable is one of a program's own, and no manual has it.
fn is_unknown(program: &str, name: &str) -> bool {
    let Some(family) = FAMILIES.iter().find(|family| name.starts_with(family.start)) else {
        return false;
    };
    let is_its = family.programs.is_empty() || family.programs.has(program).is_some();
    let is_numbered = ["CARGO_ALIAS_", "CARGO_FEATURE_", "CARGO_PROFILE_", "CARGO_REGISTRIES_"]
        .iter()
        .chain(&["CARGO_TARGET_", "CARGO_UNSTABLE_", "GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_"])
        .chain(&["LESS_TERMCAP_", "TF_CLI_ARGS_", "TF_TOKEN_", "TF_VAR_", "UV_INDEX_"])
        .any(|start| name.starts_with(start));
    is_its
        && !is_numbered
        && family.known.has(name).is_none()
        && escapes::variable(name).is_none()
        && HOLDERS.binary_search_by(|(known, _)| (*known).cmp(name)).is_err()
}

/// What a variable holds that has a meaning.
pub(in crate::programs) fn held(walk: &mut dyn Host, name: &str, value: &Text, span: Span) {
    let holds = match HOLDERS.binary_search_by(|(known, _)| (*known).cmp(name)) {
        Ok(at) => HOLDERS.get(at).map(|(_, holds)| *holds),
        Err(_) => by_pattern(name),
    };
    let Some(holds) = holds else { return };
    let argument = Argument { text: value.clone(), span };
    let known = value.known_prefix();
    match holds {
        Holds::Callable if !matches!(known, "" | "0") && !is_debugger(known) => {
            walk.gap(span, GapReason::UnknownCode);
        }
        Holds::Callable => {}
        // `LUA_INIT=@FILE`
        Holds::Code("lua") if known.starts_with('@') => {
            let text = value.beginning_with(known.trim_start_matches('@'));
            script(walk, "lua", &Argument { text, span });
        }
        Holds::Code(language) => {
            walk.code(language, value, span, &[]);
        }
        Holds::Loads => loaded(walk, &argument),
        Holds::Options(program) => {
            let words = escapes::words_of(value, span);
            escapes::options_of(walk, program, &words);
            options_in_variable(walk, program, &words, span);
        }
        Holds::Piped => {
            if let Some(code) = known.strip_prefix('|') {
                walk.shell(&value.beginning_with(code), span, &[], None);
            }
        }
        Holds::Program => named_program(walk, &argument),
        Holds::Rustc => compiler(walk, value, span),
        Holds::Script => script(walk, "", &argument),
        Holds::Tape if known.contains(':') => walk.gap(span, GapReason::UnknownOption),
        Holds::Tape => {}
        // A number, a word or a descriptor says how much is told.
        Holds::Written if known.starts_with(['/', '~']) => {
            walk.write(&argument, WriteMode::Append, value.clone());
        }
        Holds::Written => {}
    }
}

fn by_pattern(name: &str) -> Option<Holds> {
    if let Some(rest) = name.strip_prefix("CARGO_TARGET_") {
        return match rest.rsplit_once('_').map_or("", |(_, last)| last) {
            "LINKER" => Some(Holds::Program),
            "RUSTFLAGS" => Some(Holds::Rustc),
            _ => None,
        };
    }
    if name.starts_with("TF_CLI_ARGS_") {
        return Some(Holds::Options("terraform"));
    }
    // `MAVEN_OPTS`, `GRADLE_OPTS`, `SBT_OPTS`: what their starters hand to Java.
    let is_java =
        ["ANT", "CATALINA", "GRADLE", "JVM", "KAFKA", "LEIN_JVM", "MAVEN", "SBT", "SCALA"]
            .iter()
            .any(|start| name.strip_prefix(start) == Some("_OPTS"));
    is_java.then_some(Holds::Options("java"))
}

/// Debuggers that people set as their breakpoint.
fn is_debugger(callable: &str) -> bool {
    ["IPython.", "bpdb.", "ipdb.", "pdb.", "pdbr.", "pudb.", "remote_pdb.", "web_pdb.", "wdb."]
        .iter()
        .any(|start| callable.starts_with(start))
}

/// `-C linker=PROGRAM`, in one word or in two, and what Cargo's settings call the programs that it runs.
pub(super) fn compiler(walk: &mut dyn Host, flags: &Text, span: Span) {
    let known = flags.known_prefix();
    let marks = ["linker=", "runner=", "rustc=", "rustdoc=", "-wrapper=", "provider="];
    for (at, mark) in marks.iter().flat_map(|mark| known.match_indices(mark)) {
        let rest = known.get(at + mark.len()..).unwrap_or("");
        let rest = rest.trim_start_matches([' ', '"', '\'', '[']);
        let program = rest.split([' ', '\u{1f}', '"', '\'']).next().unwrap_or("");
        named_program(walk, &Argument { text: flags.beginning_with(program), span });
    }
    for mark in ["-Zcodegen-backend=", "-Z codegen-backend="] {
        if let Some((_, rest)) = known.split_once(mark) {
            let library = rest.split(' ').next().unwrap_or("");
            script(walk, "", &Argument { text: flags.beginning_with(library), span });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(HOLDERS.is_sorted_by_key(|row| row.0), "holders");
        assert!(FAMILIES.is_sorted_by_key(|row| row.start), "families");
        for family in FAMILIES {
            assert!(family.known.words().is_sorted(), "{}", family.start);
            assert!(family.programs.words().is_sorted(), "{}", family.start);
            for name in family.known.words() {
                assert!(name.starts_with(family.start), "{name}");
            }
        }
    }

    #[test]
    fn a_program_s_own_variable_that_no_manual_has_is_not_understood() {
        for (program, name, expected) in [
            ("git", "GIT_PAGER", false),
            ("git", "GIT_CONFIG_KEY_12", false),
            ("git", "GIT_FROBNICATE", true),
            ("make", "GIT_FROBNICATE", false),
            ("ls", "LD_ORIGIN_PATH", true),
            ("terraform", "TF_VAR_region", false),
            ("python3", "PYTHONPATH", false),
            ("python3", "PYTHONFROB", true),
            ("node", "NODE_ENV", false),
            ("cargo", "CARGO_PROFILE_RELEASE_LTO", false),
        ] {
            assert_eq!(is_unknown(program, name), expected, "{program} {name}");
        }
    }
}
