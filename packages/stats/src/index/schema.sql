-- The index of usage (docs/stats.md). Costs are in nano-dollars, times in milliseconds, `hour` counts hours since 1970.
CREATE TABLE names (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE dims (
	id INTEGER PRIMARY KEY, source INT NOT NULL, provider INT NOT NULL, model INT NOT NULL, project INT NOT NULL,
	role INT NOT NULL, agent INT NOT NULL,
	UNIQUE (source, provider, model, project, role, agent)
);
CREATE TABLE hours (
	hour INT NOT NULL, dim INT NOT NULL,
	answers INT NOT NULL, failed INT NOT NULL, unpriced INT NOT NULL,
	input INT NOT NULL, output INT NOT NULL, cacheRead INT NOT NULL, cacheWrite INT NOT NULL,
	costInput INT NOT NULL, costOutput INT NOT NULL, costRead INT NOT NULL, costWrite INT NOT NULL, fees INT NOT NULL,
	estimate INT NOT NULL,
	ms INT NOT NULL, timed INT NOT NULL, timedOutput INT NOT NULL, ttft INT NOT NULL, ttftTimed INT NOT NULL,
	PRIMARY KEY (hour, dim)
) WITHOUT ROWID;
CREATE TABLE tool_dims (
	id INTEGER PRIMARY KEY, source INT NOT NULL, tool INT NOT NULL, project INT NOT NULL, UNIQUE (source, tool, project)
);
CREATE TABLE tools (
	hour INT NOT NULL, dim INT NOT NULL, calls INT NOT NULL, failed INT NOT NULL, ms INT NOT NULL, timed INT NOT NULL,
	PRIMARY KEY (hour, dim)
) WITHOUT ROWID;
CREATE TABLE sessions (
	num INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, source INT NOT NULL, project INT NOT NULL, agent INT NOT NULL,
	title TEXT, first INT NOT NULL, last INT NOT NULL, answers INT NOT NULL, failed INT NOT NULL, tokens INT NOT NULL,
	cost INT NOT NULL, estimate INT NOT NULL, unpriced INT NOT NULL, tools INT NOT NULL, linesFrom INT
);
CREATE TABLE files (
	path TEXT PRIMARY KEY, size INT NOT NULL, mtime INT NOT NULL, offset INT NOT NULL, last INT NOT NULL, state TEXT, session INT
) WITHOUT ROWID;
CREATE TABLE seen (key INTEGER PRIMARY KEY);
CREATE TABLE recent (
	key INTEGER PRIMARY KEY, at INT NOT NULL, dim INT NOT NULL, session INT, entry TEXT,
	input INT NOT NULL, output INT NOT NULL, cacheRead INT NOT NULL, cacheWrite INT NOT NULL, cost INT,
	estimate INT NOT NULL, ms INT NOT NULL, ttft INT NOT NULL, failure TEXT
);
CREATE INDEX recent_at ON recent (at);
CREATE TABLE errors (
	key INTEGER PRIMARY KEY, at INT NOT NULL, dim INT NOT NULL, session INT, entry TEXT, failure TEXT NOT NULL, message TEXT
);
CREATE INDEX errors_at ON errors (at);

-- With words instead of numbers. Joins of columns that a query does not use cost nothing.
CREATE VIEW dim_words AS
	SELECT dims.id AS id, dims.source AS source, provider.text AS provider, model.text AS model, project.text AS project,
		role.text AS role, agent.text AS agent
	FROM dims
	LEFT JOIN names AS provider ON provider.id = dims.provider
	LEFT JOIN names AS model ON model.id = dims.model
	LEFT JOIN names AS project ON project.id = dims.project
	LEFT JOIN names AS role ON role.id = dims.role
	LEFT JOIN names AS agent ON agent.id = dims.agent;
CREATE VIEW usage AS
	SELECT hours.*, dim_words.* FROM hours JOIN dim_words ON dim_words.id = hours.dim;
CREATE VIEW tool_usage AS
	SELECT tools.*, tool.text AS tool, tool_dims.source AS source FROM tools
	JOIN tool_dims ON tool_dims.id = tools.dim LEFT JOIN names AS tool ON tool.id = tool_dims.tool;
CREATE VIEW session_files AS
	SELECT session, max(path) AS path FROM files WHERE session IS NOT NULL GROUP BY session;
CREATE VIEW request_rows AS
	SELECT recent.*, dim_words.source, dim_words.provider, dim_words.model, dim_words.project, dim_words.role, dim_words.agent,
		sessions.id AS sessionId, session_files.path AS path
	FROM recent JOIN dim_words ON dim_words.id = recent.dim
	LEFT JOIN sessions ON sessions.num = recent.session LEFT JOIN session_files ON session_files.session = recent.session;
CREATE VIEW error_rows AS
	SELECT errors.*, dim_words.provider, dim_words.model, dim_words.project, session_files.path AS path
	FROM errors JOIN dim_words ON dim_words.id = errors.dim
	LEFT JOIN session_files ON session_files.session = errors.session;
CREATE VIEW session_rows AS
	SELECT sessions.*, folder.text AS folder, agentName.text AS agentName, session_files.path AS path
	FROM sessions LEFT JOIN names AS folder ON folder.id = sessions.project
	LEFT JOIN names AS agentName ON agentName.id = sessions.agent
	LEFT JOIN session_files ON session_files.session = sessions.num;
