-- Who was told of one request, and what figures are made of: the calls of projects, hour by hour, and requests by their time.

CREATE INDEX notice_of ON notice (request);

-- Each gateway counts its own, so that none waits for another.
CREATE TABLE called (
  hour bigint NOT NULL, project text COLLATE "C" NOT NULL, gateway text COLLATE "C" NOT NULL, allowed bigint NOT NULL, asked bigint NOT NULL,
  denied bigint NOT NULL, PRIMARY KEY (hour, project, gateway)
);
CREATE INDEX approval_by_time ON approval (asked, decided, status, sequence);
