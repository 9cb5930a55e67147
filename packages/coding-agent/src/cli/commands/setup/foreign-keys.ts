/** API keys that other agents have stored on this machine. Logins are left out: two programs that renew one break it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { isRecord, parseDotenv, type Env } from "@tau/utils";

export interface ForeignKey {
	program: string;
	/** Where it was found. */
	path: string;
	/** As Tau names it. */
	provider: string;
	key: string;
}

interface KeyFile {
	program: string;
	path(home: string, env: Env): string;
	read(text: string): [provider: string, key: unknown][];
}

const files: readonly KeyFile[] = [
	{ program: "pi", path: (home) => join(home, ".pi/agent/auth.json"), read: readAuthJson },
	{
		program: "opencode",
		path: (home, env) => join(env.XDG_DATA_HOME ?? join(home, ".local/share"), "opencode/auth.json"),
		read: readAuthJson,
	},
	{
		program: "Codex",
		path: (home, env) => join(env.CODEX_HOME ?? join(home, ".codex"), "auth.json"),
		read: (text) => [["openai", field(JSON.parse(text), "OPENAI_API_KEY")]],
	},
	{
		program: "Gemini",
		path: (home) => join(home, ".gemini/.env"),
		read: (text) => [["google", parseDotenv(text).GEMINI_API_KEY]],
	},
	{
		program: "Claude Code",
		path: (home, env) =>
			env.CLAUDE_CONFIG_DIR ? join(env.CLAUDE_CONFIG_DIR, ".claude.json") : join(home, ".claude.json"),
		read: (text) => [["anthropic", field(JSON.parse(text), "primaryApiKey")]],
	},
];

/** What others call a provider that has another name here. */
const otherNames: Readonly<Record<string, string>> = { gemini: "google", "openai-api": "openai" };

export function foreignKeys(home: string, env: Env): { keys: ForeignKey[]; problems: string[] } {
	const keys: ForeignKey[] = [];
	const problems: string[] = [];
	for (const { program, path: pathOf, read } of files) {
		const path = pathOf(home, env);
		const text = readIfThere(path);
		if (text === undefined) continue;
		try {
			for (const [provider, key] of read(text))
				if (typeof key === "string" && /^[!-~]{8,}$/.test(key))
					keys.push({ program, path, provider: otherNames[provider] ?? provider, key });
		} catch (error) {
			problems.push(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
		}
	}
	return { keys, problems };
}

/** `{ provider: { type, key } }`, as pi and opencode have it; `$NAME` and `!command` are no keys. */
function readAuthJson(text: string): [provider: string, key: unknown][] {
	const value: unknown = JSON.parse(text);
	if (!isRecord(value)) return [];
	return Object.entries(value).flatMap(([provider, entry]): [string, unknown][] => {
		const kind = field(entry, "type");
		const key = field(entry, "key");
		const isKey = (kind === "api" || kind === "api_key") && typeof key === "string" && !/^[$!]/.test(key);
		return isKey ? [[provider, key]] : [];
	});
}

function field(value: unknown, name: string): unknown {
	return isRecord(value) ? value[name] : undefined;
}

export function readIfThere(path: string): string | undefined {
	try {
		return readFileSync(path, "utf8");
	} catch {
		// Most users have few of these programs.
		return undefined;
	}
}
