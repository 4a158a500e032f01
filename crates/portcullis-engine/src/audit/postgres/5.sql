-- What people say about requests to each other (the text is the record's), who sees to each, and who does not want to see it for a time.

CREATE TABLE approval_comment (record bigint PRIMARY KEY, approval bigint NOT NULL);
CREATE INDEX approval_comment_of ON approval_comment (approval, record);
CREATE TRIGGER approval_comment_is_never_changed BEFORE UPDATE OR DELETE ON approval_comment
  FOR EACH ROW EXECUTE FUNCTION refuse('what was said about a request is never changed');
CREATE TABLE approval_assigned (approval bigint PRIMARY KEY, person text COLLATE "C" NOT NULL);
CREATE TABLE approval_snoozed (
  approval bigint NOT NULL, person text COLLATE "C" NOT NULL, until bigint NOT NULL, PRIMARY KEY (approval, person)
);
