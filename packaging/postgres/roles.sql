-- Roles for gateways that share a database. Run it as the role that owns the tables, after `portcullis serve --migrate` made them, and again
-- after each upgrade. Then give each gateway a role of its own that is in `portcullis_writer`, and whoever checks the record one that is in
-- `portcullis_reader`:
--
--   CREATE ROLE gate_a LOGIN PASSWORD '…' IN ROLE portcullis_writer;
--   CREATE ROLE auditor LOGIN PASSWORD '…' IN ROLE portcullis_reader;
--
-- Neither can change or remove a record, a request or a decision, nor make, change or drop anything in the schema.

-- At once: gateways that run meanwhile are never without their rights.
BEGIN;

DO $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'portcullis_writer') THEN
    CREATE ROLE portcullis_writer NOLOGIN;
  END IF;
  IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'portcullis_reader') THEN
    CREATE ROLE portcullis_reader NOLOGIN;
  END IF;
END $$;

REVOKE ALL ON SCHEMA portcullis FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA portcullis FROM PUBLIC, portcullis_writer, portcullis_reader;
GRANT USAGE ON SCHEMA portcullis TO portcullis_writer, portcullis_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA portcullis TO portcullis_writer;
GRANT SELECT ON portcullis.migration, portcullis.record, portcullis.chain, portcullis.tree_head TO portcullis_reader;

GRANT USAGE ON SEQUENCE portcullis.record_number TO portcullis_writer;
GRANT INSERT ON portcullis.record, portcullis.tree_head, portcullis.approval, portcullis.approval_vote, portcullis.token,
  portcullis.made_here, portcullis.logged_in, portcullis.approval_project, portcullis.delegation, portcullis.granted, portcullis.ruling,
  portcullis.approval_comment TO portcullis_writer;
GRANT INSERT, UPDATE (owner, sequence, count, hash) ON portcullis.chain TO portcullis_writer;
GRANT UPDATE (status, decided, answer, approver, origin, reason, modified, claimed) ON portcullis.approval TO portcullis_writer;
GRANT UPDATE (revoked) ON portcullis.token TO portcullis_writer;
GRANT UPDATE (used, revoked) ON portcullis.granted TO portcullis_writer;
GRANT UPDATE (since, expires, ended) ON portcullis.ruling TO portcullis_writer;
GRANT UPDATE (revoked) ON portcullis.delegation TO portcullis_writer;
GRANT INSERT, UPDATE (shown, seen) ON portcullis.person TO portcullis_writer;
GRANT INSERT, UPDATE ON portcullis.pulse TO portcullis_writer;
-- What became of messages about requests is kept for a month.
GRANT INSERT, UPDATE (stage, state, attempts, due, tried, trouble, receipt), DELETE ON portcullis.notice TO portcullis_writer;
GRANT INSERT, UPDATE (team, account, linked, ended) ON portcullis.chat_link TO portcullis_writer;
-- Who sees to a request, and who put it off: what they did is in the record.
GRANT INSERT, UPDATE (person), DELETE ON portcullis.approval_assigned TO portcullis_writer;
GRANT INSERT, UPDATE (until), DELETE ON portcullis.approval_snoozed TO portcullis_writer;
-- How many calls projects made: figures, and no record.
GRANT INSERT, UPDATE (allowed, asked, denied), DELETE ON portcullis.called TO portcullis_writer;
-- What was answered to calls that may be sent again is kept for a day.
GRANT INSERT, UPDATE (time), DELETE ON portcullis.repeatable TO portcullis_writer;

COMMIT;
