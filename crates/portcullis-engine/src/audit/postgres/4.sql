-- Messages about requests on their way elsewhere, and the accounts of a chat that mean somebody.

CREATE TABLE notice (
  id text PRIMARY KEY, receiver text COLLATE "C" NOT NULL, request text NOT NULL, rewrites boolean NOT NULL, stage text NOT NULL,
  state text NOT NULL, attempts bigint NOT NULL, made bigint NOT NULL, due bigint NOT NULL, tried bigint, trouble text, receipt text
);
CREATE INDEX notice_due ON notice (due) WHERE state = 'waiting';
CREATE INDEX notice_open ON notice (request) WHERE state = 'sent' AND stage = 'asked' AND rewrites;
CREATE INDEX notice_by_time ON notice (made);

CREATE TABLE chat_link (
  id text PRIMARY KEY, name text COLLATE "C" NOT NULL, code text NOT NULL UNIQUE, expires bigint NOT NULL, team text, account text,
  linked bigint, ended bigint
);
CREATE UNIQUE INDEX chat_link_account ON chat_link (team, account) WHERE linked IS NOT NULL AND ended IS NULL;
CREATE TRIGGER chat_link_is_never_changed BEFORE UPDATE OF id, name, code, expires ON chat_link
  FOR EACH ROW EXECUTE FUNCTION refuse('a link of a chat is never changed');
CREATE TRIGGER chat_link_is_made_once BEFORE UPDATE OF team, account, linked ON chat_link
  FOR EACH ROW WHEN (old.linked IS NOT NULL OR old.ended IS NOT NULL) EXECUTE FUNCTION refuse('a link of a chat is made once');
CREATE TRIGGER chat_link_ends_once BEFORE UPDATE ON chat_link
  FOR EACH ROW WHEN (old.ended IS NOT NULL) EXECUTE FUNCTION refuse('a link of a chat ends once');
CREATE TRIGGER chat_link_is_never_removed BEFORE DELETE ON chat_link
  FOR EACH ROW EXECUTE FUNCTION refuse('a link of a chat is never removed');
