/** The commands that serve other machines, programs and readers. */
import type { Command } from "./command.ts";
import type { Flag, FlagName } from "./flags.ts";

const json: Flag & { name: FlagName } = { name: "json", help: "print JSON" };

const brokerActions: Readonly<Record<string, readonly string[]>> = {
	status: [],
	serve: [],
	token: [],
	login: ["?provider"],
	logout: ["?provider"],
	list: [],
	import: ["file|dir…"],
	migrate: [],
};

const brokerFlags: readonly (Flag & { name: FlagName })[] = [
	{ name: "bind", value: "host:port", help: "serve: listen there (default 127.0.0.1:8765)" },
	{
		name: "host",
		value: "name",
		repeats: true,
		help: "serve: also answer to this name, of a proxy in front",
	},
	{ name: "regenerate", help: "token: replace it; clients with the old one are refused" },
	{ name: "via", value: "user@host", help: "login: on that machine by ssh, with the browser of this one" },
	{ name: "provider", value: "name", help: "import: the provider, for files that do not name it" },
	{ name: "include-disabled", help: "import: also what is marked as disabled" },
	{ name: "from-local", help: "migrate: send the credentials of this machine to the broker" },
	{ name: "include-oauth", help: "migrate: also logins; they end here" },
	{ name: "include-env", help: "migrate: also the keys of the environment" },
	{ name: "dry-run", help: "login --via, import, migrate: show what would be done" },
	json,
];

export const serverCommands: readonly Command[] = [
	{
		name: "auth-broker",
		operand: { name: "action", choices: Object.keys(brokerActions), follows: brokerActions },
		help: "keep credentials on one machine, and lend them to others",
		takes: ["mode", "config", "profile"],
		flags: brokerFlags,
	},
	{
		name: "relay",
		operand: { name: "[host:port|port|/socket]", like: /^[\w.:[\]/-]+$/ },
		help: "run the server that members of shared sessions meet on",
		takes: [],
	},
	{
		name: "share",
		operand: { name: "[session] | list | rm <id> | open <link>", words: true },
		help: "share a session as a link, after showing what leaves; list, delete and open shares",
		takes: ["mode", "session-dir", "config", "profile"],
		flags: [
			{ name: "yes", short: "y", help: "share without a question, masked" },
			{ name: "dry-run", help: "show what would leave, and send nothing" },
		],
	},
];
