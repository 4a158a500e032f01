-- The record, and what gateways keep beside it. Triggers hold back mistakes, roles whoever is no owner, and hashes tell of both.

CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation';
END $$;

-- One number for each record over all chains; what is rolled back leaves a gap.
CREATE SEQUENCE record_number;

-- A chain for each gateway. `owner` is the process that may append to it.
CREATE TABLE chain (
  name text COLLATE "C" PRIMARY KEY, owner text NOT NULL, sequence bigint NOT NULL, count bigint NOT NULL, hash text NOT NULL
);
CREATE TRIGGER chain_is_never_removed BEFORE DELETE ON chain
  FOR EACH ROW EXECUTE FUNCTION refuse('a chain is never removed');
CREATE TRIGGER chain_is_never_emptied BEFORE TRUNCATE ON chain
  FOR EACH STATEMENT EXECUTE FUNCTION refuse('a chain is never removed');

CREATE TABLE record (
  sequence bigint PRIMARY KEY, chain text COLLATE "C" NOT NULL, v integer NOT NULL, time text COLLATE "C" NOT NULL,
  previous text NOT NULL, hash text NOT NULL, kind text NOT NULL, refers_to bigint, tool text, class text, risk text, rules text NOT NULL,
  decision text, layer text, reason text, approver text, outcome text, action text, preview text, policy text, session text, agent text,
  cwd text, files text
);
CREATE INDEX record_by_chain ON record (chain, sequence);
CREATE INDEX record_by_session ON record (session, sequence) WHERE session IS NOT NULL;
CREATE INDEX record_by_reference ON record (refers_to) WHERE refers_to IS NOT NULL;
CREATE TRIGGER record_is_never_changed BEFORE UPDATE ON record
  FOR EACH ROW EXECUTE FUNCTION refuse('a record is never changed');
CREATE TRIGGER record_is_never_removed BEFORE DELETE ON record
  FOR EACH ROW EXECUTE FUNCTION refuse('a record is never removed');
CREATE TRIGGER record_is_never_emptied BEFORE TRUNCATE ON record
  FOR EACH STATEMENT EXECUTE FUNCTION refuse('a record is never removed');

-- Where every chain ended when a record told of it, a line each; the record holds the digest of the text.
CREATE TABLE tree_head (record bigint PRIMARY KEY, text text NOT NULL);
CREATE TRIGGER tree_head_is_never_changed BEFORE UPDATE OR DELETE ON tree_head
  FOR EACH ROW EXECUTE FUNCTION refuse('what tells where chains ended is never changed');
CREATE TRIGGER tree_head_is_never_emptied BEFORE TRUNCATE ON tree_head
  FOR EACH STATEMENT EXECUTE FUNCTION refuse('what tells where chains ended is never changed');

CREATE TABLE approval (
  sequence bigint PRIMARY KEY, v integer NOT NULL, id text NOT NULL UNIQUE, status text NOT NULL, action text NOT NULL,
  tool text NOT NULL, risk text NOT NULL, session text, agent text, requester text NOT NULL, needed bigint NOT NULL,
  asked bigint NOT NULL, expires bigint NOT NULL, policy text NOT NULL, details text NOT NULL,
  decided bigint, answer bigint, approver text, origin text, reason text, modified text, claimed bigint
);
CREATE INDEX approval_pending ON approval (expires) WHERE status = 'pending';
CREATE INDEX approval_waits ON approval (requester) WHERE status = 'pending';
CREATE INDEX approval_answered ON approval (answer) WHERE answer IS NOT NULL;
CREATE INDEX approval_unused ON approval (action) WHERE claimed IS NULL;
CREATE TRIGGER approval_is_decided_once BEFORE UPDATE OF status, decided, answer, approver, origin, reason, modified ON approval
  FOR EACH ROW WHEN (old.status <> 'pending') EXECUTE FUNCTION refuse('a decision is never changed');
CREATE TRIGGER approval_is_used_once BEFORE UPDATE OF claimed ON approval
  FOR EACH ROW WHEN (old.claimed IS NOT NULL) EXECUTE FUNCTION refuse('an approval is used once');
CREATE TRIGGER approval_is_never_changed
  BEFORE UPDATE OF sequence, id, action, tool, risk, session, agent, requester, needed, asked, expires, policy, details ON approval
  FOR EACH ROW EXECUTE FUNCTION refuse('a request is never changed');
CREATE TRIGGER approval_is_never_removed BEFORE DELETE ON approval
  FOR EACH ROW EXECUTE FUNCTION refuse('a request is never removed');
CREATE TRIGGER approval_is_never_emptied BEFORE TRUNCATE ON approval
  FOR EACH STATEMENT EXECUTE FUNCTION refuse('a request is never removed');

CREATE TABLE approval_vote (
  approval bigint NOT NULL, approver text NOT NULL, origin text NOT NULL, time bigint NOT NULL, PRIMARY KEY (approval, approver)
);
CREATE TRIGGER approval_vote_is_never_changed BEFORE UPDATE OR DELETE ON approval_vote
  FOR EACH ROW EXECUTE FUNCTION refuse('what somebody said is never changed');

CREATE TABLE token (
  id text PRIMARY KEY, hash text NOT NULL UNIQUE, name text NOT NULL, holder text NOT NULL, scopes text NOT NULL,
  created bigint NOT NULL, expires bigint, revoked bigint, proof text
);
CREATE TRIGGER token_ends_once BEFORE UPDATE ON token
  FOR EACH ROW WHEN (old.revoked IS NOT NULL) EXECUTE FUNCTION refuse('a token ends once');
CREATE TABLE made_here (token text PRIMARY KEY);

CREATE TABLE repeatable (
  token text NOT NULL, key text NOT NULL, digest text NOT NULL, answer text NOT NULL, approval text, time bigint NOT NULL,
  PRIMARY KEY (token, key)
);
CREATE INDEX repeatable_by_time ON repeatable (time);

CREATE TABLE granted (
  record bigint PRIMARY KEY, id text NOT NULL UNIQUE, text text NOT NULL, expires bigint NOT NULL, used bigint, revoked bigint
);
CREATE INDEX granted_open ON granted (expires) WHERE used IS NULL AND revoked IS NULL;
CREATE TRIGGER granted_ends_once BEFORE UPDATE ON granted
  FOR EACH ROW WHEN (old.used IS NOT NULL OR old.revoked IS NOT NULL) EXECUTE FUNCTION refuse('a grant ends once');
CREATE TRIGGER granted_is_never_changed BEFORE UPDATE OF record, id, text, expires ON granted
  FOR EACH ROW EXECUTE FUNCTION refuse('a grant is never changed');
CREATE TRIGGER granted_is_never_removed BEFORE DELETE ON granted
  FOR EACH ROW EXECUTE FUNCTION refuse('a grant is never removed');

CREATE TABLE ruling (
  record bigint PRIMARY KEY, policy text NOT NULL, wanted_by text NOT NULL, asks bigint, lasts bigint, returns boolean NOT NULL,
  alone boolean NOT NULL, since bigint, expires bigint, ended bigint
);
CREATE INDEX ruling_asked ON ruling (asks) WHERE asks IS NOT NULL;
CREATE TRIGGER ruling_is_never_changed BEFORE UPDATE OF record, policy, wanted_by, asks, lasts, returns, alone ON ruling
  FOR EACH ROW EXECUTE FUNCTION refuse('a policy is never changed');
CREATE TRIGGER ruling_begins_once BEFORE UPDATE OF since, expires ON ruling
  FOR EACH ROW WHEN (old.since IS NOT NULL) EXECUTE FUNCTION refuse('a policy begins once');
CREATE TRIGGER ruling_ends_once BEFORE UPDATE OF ended ON ruling
  FOR EACH ROW WHEN (old.ended IS NOT NULL) EXECUTE FUNCTION refuse('a policy ends once');
CREATE TRIGGER ruling_is_never_removed BEFORE DELETE ON ruling
  FOR EACH ROW EXECUTE FUNCTION refuse('a policy is never removed');

CREATE TABLE pulse (gateway text PRIMARY KEY, time bigint NOT NULL);
