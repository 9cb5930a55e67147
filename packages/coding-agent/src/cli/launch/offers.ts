/** Offers once what is useful and off: one line above the editor, with a key to accept it and a key for never. */
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { isDemo } from "@tau/bundled";
import type { Settings } from "@tau/config/settings";
import type { McpSource } from "@tau/extensions/assembly";
import { loadKeys, type keyPresets } from "@tau/interactive/keys";
import type { Screen } from "@tau/interactive/screen";
import { localMachine } from "@tau/sys";
import { dirs, homeOf, isRecord, log, plural, privateDirectory } from "@tau/utils";

import { limits } from "../limits.ts";

export interface OfferParts {
	readonly screen: Screen;
	readonly settings: Settings;
	readonly cwd: string;
	/** Absent where this run has none. */
	readonly mcp: McpSource | undefined;
	readonly model: Parameters<typeof isDemo>[0];
	readonly signal: AbortSignal;
	notify(text: string, level?: "success" | "error"): void;
}

interface Offer {
	readonly text: string;
	/** What the key does, as a verb. */
	readonly verb: string;
	/** Gives what to tell the user. */
	accept(): Promise<string>;
}

type Find = (parts: OfferParts) => Promise<Offer | undefined> | Offer | undefined;

/** One at a start, in this order. */
const offers: Readonly<Record<string, Find>> = { keys, mcp, memory, lsp };

export async function offerOnce(parts: OfferParts): Promise<void> {
	const file = join(privateDirectory(dirs().state), "offers.json");
	const answers = readAnswers(file);
	for (const [id, find] of Object.entries(offers)) {
		if (answers[id] !== undefined) continue;
		const offer = await find(parts);
		if (!offer || parts.signal.aborted) continue;
		const remember = (answer: string): boolean => writeAnswers(file, { ...answers, [id]: answer });
		// It was seen, whatever becomes of it; what cannot be remembered would be offered at each start.
		if (!remember("offered")) return;
		parts.screen.offer.show(offer, (isAccepted) => {
			remember(isAccepted ? "accepted" : "never");
			if (isAccepted) void accept(offer, parts);
		});
		return;
	}
}

async function accept(offer: Offer, { notify }: OfferParts): Promise<void> {
	try {
		notify(await offer.accept(), "success");
	} catch (error) {
		notify(error instanceof Error ? error.message : String(error), "error");
	}
}

function readAnswers(file: string): Record<string, unknown> {
	try {
		const answers: unknown = JSON.parse(readFileSync(file, "utf8"));
		return isRecord(answers) ? answers : {};
	} catch (error) {
		log.debug("no offers were answered yet", { reason: String(error) });
		return {};
	}
}

function writeAnswers(file: string, answers: Readonly<Record<string, unknown>>): boolean {
	try {
		writeFileSync(file, `${JSON.stringify(answers)}\n`);
		return true;
	} catch (error) {
		log.debug("what was offered cannot be remembered", { reason: String(error) });
		return false;
	}
}

async function switchOn(
	settings: Settings,
	path: "memories.enabled" | "mcp.enabled" | "lsp.enabled",
): Promise<void> {
	const outcome = await settings.set(path, true, "global");
	if (!outcome.ok) throw new Error(outcome.reason);
}

/** Programs whose users press other keys, by what they leave in the home directory. */
const programs: readonly { name: string; traces: readonly string[]; preset: keyof typeof keyPresets }[] = [
	{ name: "Claude Code", traces: [".claude.json", ".claude/projects"], preset: "claude" },
	{ name: "codex", traces: [".codex/sessions", ".codex/config.toml"], preset: "codex" },
	{ name: "pi", traces: [".pi/agent"], preset: "pi" },
	{ name: "omp", traces: [".omp/agent"], preset: "pi" },
];

function keys({ screen }: OfferParts): Offer | undefined {
	const { agent } = dirs();
	if (["keybindings.yml", "keybindings.json"].some((name) => existsSync(join(agent, name)))) return undefined;
	const home = homeOf();
	const used = programs
		.map((program) => ({
			program,
			at: Math.max(...program.traces.map((path) => changedAt(join(home, path)))),
		}))
		.filter(({ at }) => at > 0)
		.toSorted((a, b) => b.at - a.at);
	const [found] = used;
	if (!found) return undefined;
	const { name, preset } = found.program;
	return {
		text: `You use ${name}: Tau can take its keys.`,
		verb: "take them",
		accept: async () => {
			writeFileSync(join(privateDirectory(agent), "keybindings.yml"), `preset: ${preset}\n`, { flag: "wx" });
			const { problems } = await loadKeys(screen.keys, agent);
			if (problems.length > 0) throw new Error(problems.join("\n"));
			return `The keys are those of ${name} (keybindings.yml); /hotkeys lists them.`;
		},
	};
}

function changedAt(path: string): number {
	return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

async function mcp({ settings, mcp: source }: OfferParts): Promise<Offer | undefined> {
	if (settings.get("mcp.enabled") || !source) return undefined;
	const count = await source.countDefined();
	if (count === 0) return undefined;
	return {
		text: `MCP is off, and ${plural(count, "server")} ${count === 1 ? "is" : "are"} defined here.`,
		verb: "turn it on",
		accept: async () => {
			await switchOn(settings, "mcp.enabled");
			return "MCP servers start with the next session; /mcp lists them.";
		},
	};
}

/** Not before there is something to remember. */
function memory({ settings, model, screen }: OfferParts): Offer | undefined {
	if (settings.get("memories.enabled") || isDemo(model) || screen.starts < limits.startsBeforeMemory)
		return undefined;
	return {
		text: "Memory is off: Tau can learn from finished sessions (a model reads them).",
		verb: "turn it on",
		accept: async () => {
			await switchOn(settings, "memories.enabled");
			return "Memory is on; /memory shows what is remembered.";
		},
	};
}

/** The search through the project is not worth a first start. */
async function lsp({ settings, cwd, screen, signal }: OfferParts): Promise<Offer | undefined> {
	if (screen.starts < limits.startsBeforeLsp) return undefined;
	const { projectServers } = await import("@tau/session-commands/work/language-servers");
	const servers = await projectServers({
		files: localMachine().files,
		root: cwd,
		env: process.env,
		servers: settings.get("lsp.servers"),
		signal: AbortSignal.any([signal, AbortSignal.timeout(limits.doctorSearchMs)]),
	}).catch((error: unknown) => {
		log.debug("the languages of the project are not known", { reason: String(error) });
		return [];
	});
	const main = servers.filter(({ files }) => files >= limits.doctorLanguageFiles);
	const [server] = main.toSorted((a, b) => b.files - a.files);
	if (!server) return undefined;
	if (!settings.get("lsp.enabled"))
		return {
			text: `Language servers are off; ${server.name} would show errors as they are made.`,
			verb: "turn them on",
			accept: async () => {
				await switchOn(settings, "lsp.enabled");
				return "Language servers start when they are needed; /lsp lists them.";
			},
		};
	if (server.command !== undefined || server.install === "") return undefined;
	return {
		text: `${server.name} is not installed: it would show errors in ${plural(server.files, "file")} as they are made.`,
		verb: "get the command",
		accept: async () => {
			screen.editor.setText(`!${server.install}`);
			return "Press Enter to install it.";
		},
	};
}
