-- Who logged in, which project a request belongs to, and who decides in whose place.

CREATE TABLE logged_in (token text PRIMARY KEY, text text NOT NULL);

CREATE TABLE person (name text COLLATE "C" PRIMARY KEY, shown text NOT NULL, seen bigint NOT NULL);

CREATE TABLE approval_project (approval bigint PRIMARY KEY, project text COLLATE "C" NOT NULL);
CREATE INDEX approval_by_project ON approval_project (project, approval);
CREATE TRIGGER approval_project_is_never_changed BEFORE UPDATE OR DELETE ON approval_project
  FOR EACH ROW EXECUTE FUNCTION refuse('a request stays in its project');
CREATE TRIGGER approval_project_is_never_emptied BEFORE TRUNCATE ON approval_project
  FOR EACH STATEMENT EXECUTE FUNCTION refuse('a request stays in its project');

CREATE TABLE delegation (
  record bigint PRIMARY KEY, id text NOT NULL UNIQUE, giver text NOT NULL, taker text NOT NULL, groups text NOT NULL,
  expires bigint NOT NULL, revoked bigint
);
CREATE TRIGGER delegation_is_never_changed BEFORE UPDATE OF record, id, giver, taker, groups, expires ON delegation
  FOR EACH ROW EXECUTE FUNCTION refuse('what is given is never changed');
CREATE TRIGGER delegation_ends_once BEFORE UPDATE ON delegation
  FOR EACH ROW WHEN (old.revoked IS NOT NULL) EXECUTE FUNCTION refuse('what is given ends once');
CREATE TRIGGER delegation_is_never_removed BEFORE DELETE ON delegation
  FOR EACH ROW EXECUTE FUNCTION refuse('what is given is never removed');
