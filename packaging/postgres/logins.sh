#!/bin/sh
# The roles of roles.sql, with a login for the gateways and one for whoever checks the record. It can be run again: passwords are those of the
# environment then. It wants PGHOST, PGUSER, PGDATABASE, PGPASSWORD (of the role that owns the tables), GATE_PASSWORD and AUDITOR_PASSWORD.
set -eu
here=$(dirname "$0")
psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --file "$here/roles.sql"
# Passwords go in by the environment and stand in no list of processes.
psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 <<'SQL'
\getenv gate_password GATE_PASSWORD
\getenv auditor_password AUDITOR_PASSWORD
SELECT format('CREATE ROLE gate LOGIN IN ROLE portcullis_writer') WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'gate') \gexec
SELECT format('CREATE ROLE auditor LOGIN IN ROLE portcullis_reader') WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'auditor') \gexec
ALTER ROLE gate PASSWORD :'gate_password';
ALTER ROLE auditor PASSWORD :'auditor_password';
SQL
