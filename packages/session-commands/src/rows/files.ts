/** `/export`, `/dump`, `/add-dir` and `/remember`: the session as a file, and files that belong to it. */
import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";

import { projectRoot } from "@tau/log/journal";
import { assertOutcome } from "@tau/session/host";
import { UserError } from "@tau/session/run";
import { findRepository } from "@tau/sys";
import type { ToolEnv } from "@tau/tools/tool";
import { dirs, oneLine, shortenHome, stripControls } from "@tau/utils";
import type { CommandReply } from "@tau/wire";

import { facts, pathArgument, reply, type CommandTarget, type SessionCommand } from "../command.ts";

export const exportSession: SessionCommand = {
	name: "export",
	group: "Session",
	argumentHint: "[file.html|.md|.json|.ipynb]",
	description: "Export the session as HTML, Markdown, JSON or a notebook",
	details:
		"The ending of the file decides about the format: .html, .md, .json or .ipynb, a Jupyter notebook with the cells of Python. Without a file, an HTML file named after the title is written to the current directory.",
	right: "control",
	async run(args, { host: { log }, cwd }) {
		if (log.getLeafId() === null) return reply("Nothing to export yet.", "warning");
		// Text and a walk over the tree that few sessions ever need.
		const { exportSession: exportTo } = await import("@tau/session/export");
		const file = args === "" ? undefined : args;
		const path = await exportTo(log, { file, cwd, replace: file === undefined });
		const where = (await findRepository(dirname(path))) ? ", inside this git repository" : "";
		return { ...reply(`Exported to ${shortenHome(path)}${where}.`, "success"), data: { path } };
	},
};

export interface DumpData {
	markdown: string;
}

export const dump: SessionCommand = {
	name: "dump",
	group: "Session",
	description: "Copy the whole conversation to the clipboard",
	right: "view",
	async run(_, { host: { log } }) {
		if (log.getLeafId() === null) return reply("Nothing to copy yet.", "warning");
		const { exportSource, toMarkdown } = await import("@tau/session/export");
		const markdown = toMarkdown(exportSource(log));
		if (markdown.length > dumpChars)
			throw new UserError("The conversation is too long to copy. Use /export to write it to a file.");
		const data: DumpData = { markdown };
		return { ...reply(markdown), data };
	},
};

/** More does not fit into clipboards that go through the terminal. */
const dumpChars = 8 * 1024 * 1024;

export const addDir: SessionCommand = {
	name: "add-dir",
	group: "Context",
	argumentHint: "[directory]",
	description: "Add a directory to this session",
	right: "control",
	shows: [""],
	async run(args, { host, settings, cwd }) {
		const added = settings.get("additionalDirectories");
		if (args === "") return facts([cwd, ...added].map((path): [string, string] => [shortenHome(path), ""]));
		const directory = pathArgument(args, cwd);
		const info = await stat(directory).catch(() => undefined);
		if (!info?.isDirectory()) throw new UserError(`${shortenHome(directory)} is not a directory.`);
		if (directory === cwd || added.includes(directory))
			return reply(`${shortenHome(directory)} already belongs to this session.`);
		const value = [...added, directory];
		assertOutcome(await host.apply({ type: "setting", path: "additionalDirectories", value }));
		const more = (await hasInstructions(directory)) ? " Its instructions are read at the next /reload." : "";
		return reply(
			`Added ${shortenHome(directory)} for this session.${more} Put it in additionalDirectories to keep it.`,
			"success",
		);
	},
};

async function hasInstructions(directory: string): Promise<boolean> {
	const { contextFileCandidates } = await import("@tau/resources/context-files");
	const { agent: agentDir, home } = dirs();
	return contextFileCandidates({ cwd: directory, agentDir, home }).some(({ level }) => level === "project");
}

/** A longer line is a document; it belongs into a file of its own. */
const lineChars = 1_000;

export const remember: SessionCommand = {
	name: "remember",
	group: "Context",
	yieldsToPrompts: true,
	argumentHint: "<text>",
	takesText: true,
	description: "Add a line to AGENTS.md (shows the diff first)",
	details:
		"Proposes the text as a line at the end of the project's AGENTS.md, or of your own for all projects. Nothing is written before you say yes; /rewind takes it back.",
	right: "control",
	async run(args, target) {
		let line = oneLine(stripControls(args), lineChars).trim();
		if (line === "") throw new UserError("Usage: /remember <text>");
		const root = projectRoot(target.cwd, dirs().home) ?? target.cwd;
		const own = join(target.agentDir, "AGENTS.md");
		let path = join(root, "AGENTS.md");
		for (;;) {
			const change = await proposed(target.env(), path, line);
			await target.notice(change.diff);
			const other = path === own ? join(root, "AGENTS.md") : own;
			const choice = await target.ask.select(`Add this line to ${shortenHome(path)}?`, [
				{ value: "yes", label: "Add it" },
				{ value: "edit", label: "Edit it" },
				{ value: "other", label: `Use ${shortenHome(other)} instead` },
				{ value: "no", label: "Cancel" },
			]);
			if (choice === "yes") return await write(target, change);
			if (choice === "other") path = other;
			else if (choice === "edit") {
				const edited = await target.ask.input("The line", { initial: line });
				line = oneLine(stripControls(edited ?? line), lineChars).trim() || line;
			} else return reply("Nothing was written.");
		}
	},
};

interface Proposal {
	path: string;
	before: Extract<Awaited<ReturnType<ToolEnv["machine"]["files"]["readText"]>>, { ok: true }>;
	text: string;
	diff: string;
}

async function proposed(env: ToolEnv, path: string, line: string): Promise<Proposal> {
	const { everything, LineText, unifiedDiff } = await import("@tau/tools/files");
	const before = await env.machine.files.readText(shortenHome(path), path);
	if (!before.ok) throw new UserError(before.reason);
	const old = before.text ?? "";
	const end = old.includes("\r\n") ? "\r\n" : "\n";
	const gap = old === "" || old.endsWith("\n") ? "" : end;
	const text = `${old}${gap}- ${line}${end}`;
	const [was, now] = [new LineText(old), new LineText(text)];
	const head = `--- ${before.text === undefined ? "/dev/null" : shortenHome(path)}\n+++ ${shortenHome(path)}`;
	return { path, before, text, diff: `${head}\n${unifiedDiff(was, now, everything(was, now)).diff}` };
}

/** The way in which tools write: recorded, and never over a change that was made meanwhile. */
async function write(target: CommandTarget, { path, before, text }: Proposal): Promise<CommandReply> {
	const hasBom = before.text !== undefined && before.hasBom;
	const done = await target.env().machine.files.commit([{ before, after: { text, hasBom } }], {
		signal: new AbortController().signal,
	});
	if (!done.ok) throw new UserError(`${done.reason} Nothing was written.`);
	return {
		...reply(
			`Added to ${shortenHome(path)}. New sessions read it; /reload makes this one read it.`,
			"success",
		),
		data: { path },
	};
}
