/** `/feedback`: writes a report file for a bug report, without the conversation and without secrets. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { dirs, maskSecrets, shortenHome, version } from "@tau/utils";

import type { SlashCommand } from "./command.ts";
import { debugLines } from "./debug.ts";

/** Lines of the log in a report: what happened before a problem, not the whole day. */
const logLines = 200;

export const feedback: SlashCommand = {
	name: "feedback",
	group: "Setup",
	aliases: ["bug"],
	argumentHint: "[what happened]",
	takesText: true,
	description: "Write a report file for a bug report, without the conversation or secrets",
	async run(args, host) {
		const facts = (await debugLines(host)).map(([name, value]) => `- ${name}: ${value}`);
		const text = [
			`# Tau ${version}`,
			args === "" ? "(describe what happened, and what you expected)" : args,
			"## Environment",
			facts.join("\n"),
			"## Log",
			`\`\`\`\n${logTail()}\n\`\`\``,
		].join("\n\n");
		const directory = join(dirs().state, "feedback");
		mkdirSync(directory, { recursive: true, mode: 0o700 });
		const stamp = new Date().toISOString().replaceAll(/[:.]/g, "-");
		const file = join(directory, `tau-${stamp}.md`);
		writeFileSync(file, `${withoutHome(maskSecrets(text))}\n`, { mode: 0o600 });
		host.notify(
			`Wrote ${shortenHome(file)}. It contains no messages and no keys; read it before you send it.`,
			"success",
		);
	},
};

/** The end of the newest log file. */
function logTail(): string {
	try {
		const { logs } = dirs();
		const files = readdirSync(logs).map((name) => join(logs, name));
		const newest = files.toSorted((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs).at(-1);
		if (newest === undefined) return "(empty)";
		return readFileSync(newest, "utf8").trimEnd().split("\n").slice(-logLines).join("\n");
	} catch {
		// A log that does not exist or cannot be read has nothing to report.
		return "(no log)";
	}
}

function withoutHome(text: string): string {
	return text.replaceAll(dirs().home, "~");
}
