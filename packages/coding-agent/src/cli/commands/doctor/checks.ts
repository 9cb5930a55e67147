/** The parts of the machine that a session needs: each is tried, and what does not work comes with its fix. */
import { chooseModel, configuredBroker, storedLogins } from "@tau/config/models";
import { projectRoot } from "@tau/log/journal";
import { SessionSandbox } from "@tau/session/sandbox";
import { findRepository, localMachine, readHead } from "@tau/sys";
import { whyNoShell } from "@tau/machines/sandbox";
import { projectServers } from "@tau/integrations/lsp";
import { shortenHome } from "@tau/utils";

import { isDemo } from "@tau/bundled";
import type { Check, Problem } from "@tau/session-commands/work";
import { loadRegistry } from "../../launch/load-models.ts";
import { modelRequest } from "../../launch/model-request.ts";
import { limits } from "../../limits.ts";
import { useProjectEnv } from "../../project-env.ts";
import { credentialRows } from "../auth/status.ts";
import { openCredentials } from "../auth/store.ts";
import { missingComponents } from "../setup/command.ts";
import { firstLine, plainLine, unexamined, used, type Examined, type Outcome } from "./problems.ts";
import { storage } from "./storage.ts";
import { clipboard, terminal } from "./terminal.ts";

interface Named {
	name: string;
	examine(examined: Examined): Outcome | Promise<Outcome | undefined>;
}

const checks: readonly Named[] = [
	{ name: "model", examine: model },
	{ name: "credentials", examine: credentials },
	{ name: "auth broker", examine: broker },
	{ name: "sandbox", examine: sandbox },
	{ name: "programs", examine: programs },
	{ name: "git", examine: git },
	{ name: "terminal", examine: terminal },
	{ name: "clipboard", examine: clipboard },
	{ name: "language servers", examine: languageServers },
	{ name: "storage", examine: storage },
];

/** One check that fails must not hide the others. */
export async function runChecks(examined: Examined): Promise<{ checks: Check[]; problems: Problem[] }> {
	const examinations = await Promise.all(
		checks.map(async ({ name, examine }): Promise<(Outcome & { name: string }) | undefined> => {
			try {
				const outcome = await examine(examined);
				return outcome && { name, ...outcome };
			} catch (error) {
				return { name, about: "unknown", problems: [{ ...unexamined(name, error), severity: "warning" }] };
			}
		}),
	);
	const outcomes = examinations.filter((outcome) => outcome !== undefined);
	return {
		checks: outcomes.map(({ name, about, problems }) => ({
			name,
			state: worst(problems),
			about: plainLine(about),
		})),
		problems: outcomes.flatMap(({ name, problems }) =>
			problems.map((one) => ({ ...one, area: name, problem: plainLine(one.problem) })),
		),
	};
}

function worst(problems: Outcome["problems"]): Check["state"] {
	if (problems.length === 0) return "ok";
	return problems.some(({ severity }) => severity === "error") ? "error" : "warning";
}

/** The model that a session would start with, and whether its provider accepts the key. */
async function model({ args, settings, found, onNotice }: Examined): Promise<Outcome> {
	using store = await openCredentials(settings, onNotice);
	const registry = await loadRegistry(args, process.env, settings, storedLogins(store), onNotice);
	await useProjectEnv({ args, cwd: found.cwd, holders: registry.keyHolders(), onNotice });
	const fix = "tau --list-models shows what can be used; tau login connects a provider.";
	let choice: Awaited<ReturnType<typeof chooseModel>>;
	try {
		choice = await chooseModel(modelRequest(args), registry, process.env);
	} catch (error) {
		return { about: "none", problems: [{ problem: firstLine(error), fix, severity: "error" }] };
	}
	const { provider, id } = choice.model;
	const problems: Outcome["problems"] = choice.notices.map((problem) => ({
		problem,
		fix,
		severity: "warning",
	}));
	if (isDemo(choice.model)) {
		const problem =
			"No model is connected (no key, no login, no local server); only the built-in demo can answer.";
		// Extensions may bring a model; they are not run here.
		const isOwn = used(found, "extensions").some(({ source }) => source !== "builtin");
		const severity = isOwn ? "warning" : "error";
		return { about: "the demo", problems: [...problems, { problem, fix: "tau login", severity }] };
	}
	const key = registry.apiKey(provider);
	const { checkKey } = await import("@tau/config/models/discovery");
	const answer = key === undefined ? "unknown" : await checkKey(registry, provider, key);
	if (answer === "rejected")
		problems.push({
			problem: `${provider} rejects the key for ${id}.`,
			fix: `tau login ${provider}`,
			severity: "error",
		});
	const tried = answer === "accepted" ? ", the provider accepts the key" : "";
	return { about: `${provider}/${id}${tried}`, problems };
}

async function credentials({ args, settings, onNotice }: Examined): Promise<Outcome> {
	const rows = await credentialRows(args, settings, onNotice);
	const usable = rows.filter(({ state }) => state !== "refused");
	const problems = rows
		.filter(({ state }) => state === "refused")
		.map(({ provider, note = "" }): Outcome["problems"][number] => ({
			problem: `${provider}: ${note.split("; run ")[0]}`,
			fix: `tau login ${provider}`,
			severity: usable.length === 0 ? "error" : "warning",
		}));
	const shown = usable
		.slice(0, limits.doctorNames)
		.map(({ provider, kind, from }) => `${provider} (${kind}, ${from})`);
	const more = usable.length - shown.length;
	const about = shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
	return { about: about || "none", problems };
}

/** Only where one is set. */
async function broker({ settings }: Examined): Promise<Outcome | undefined> {
	const access = await configuredBroker(process.env, settings).catch((error: unknown) => firstLine(error));
	if (access === undefined) return undefined;
	const fix = "tau auth-broker status; docs/broker.md describes the settings.";
	if (typeof access === "string")
		return { about: "not usable", problems: [{ problem: access, fix, severity: "error" }] };
	const { brokerState, describe } = await import("../auth-broker/status.ts");
	const state = await brokerState(access);
	if (state.problem !== undefined)
		return { about: access.url, problems: [{ problem: state.problem, fix, severity: "error" }] };
	const isOpen = access.url.startsWith("http:") && !/^http:\/\/(?:127\.|localhost|\[::1\])/.test(access.url);
	const problem = `The token goes to ${access.url} without encryption.`;
	const advice = "Use https, or a private network or ssh -L in between.";
	return { about: describe(state), problems: isOpen ? [{ problem, fix: advice, severity: "warning" }] : [] };
}

async function sandbox({ settings }: Examined): Promise<Outcome> {
	await using opened = new SessionSandbox({ cwd: process.cwd(), env: process.env, settings });
	if (opened.mode === "off") return { about: "off (sandbox.mode)", problems: [] };
	const { kind, reason, fix = "tau sandbox --explain shows what is missing." } = await opened.support();
	if (kind === "none") {
		const isRequired = opened.mode === "required";
		const effect = isRequired ? "No command runs" : "Commands run without a sandbox";
		const severity = isRequired ? "error" : "warning";
		return { about: "none", problems: [{ problem: `${effect}: ${reason}.`, fix, severity }] };
	}
	// What a machine offers in general may still not work for this project.
	const failure = await firstShell(opened);
	if (failure !== undefined) {
		const problem = `No command starts in the sandbox (${kind}): ${failure}.`;
		const off = "To run commands without one: tau config set sandbox.mode off";
		return { about: kind, problems: [{ problem, fix: `${fix} ${off}`, severity: "error" }] };
	}
	const about = `${kind}, a command ran in it`;
	const isInstalled = missingComponents().every(({ component }) => component.id !== "bubblewrap");
	if (kind !== "landlock" || !isInstalled) return { about, problems: [] };
	return { about, problems: [{ problem: `Commands run in Landlock: ${reason}.`, fix, severity: "warning" }] };
}

/** Starts one as a session does, with what this project and the settings hide and allow. */
async function firstShell(opened: SessionSandbox): Promise<string | undefined> {
	try {
		const launcher = await opened.launcher();
		return launcher && (await whyNoShell(launcher, process.cwd(), process.env));
	} catch (error) {
		return firstLine(error).replace(/\.$/, "");
	}
}

function programs(): Outcome {
	const missing = missingComponents();
	return {
		about:
			missing.length === 0
				? "all that are needed; tau setup lists the others"
				: `missing: ${missing.map(({ component }) => component.id).join(", ")}`,
		problems: missing.map(({ component, install }) => ({
			problem: `${component.id} is missing (${component.purpose}).`,
			fix: install ?? "Install it with your system's package manager.",
			// The check of the sandbox says what the lack of it costs.
			severity: component.id === "bubblewrap" ? "warning" : "error",
		})),
	};
}

/** A git that is missing is one of the programs. */
async function git({ found: { cwd } }: Examined): Promise<Outcome | undefined> {
	if (Bun.which("git") === null) return undefined;
	const repository = await findRepository(cwd);
	if (!repository) return { about: "installed; this is not a repository", problems: [] };
	const head = await readHead(repository);
	const branch = head?.branch ?? "no branch";
	return { about: `${shortenHome(repository.root)}, ${branch}`, problems: [] };
}

async function languageServers({ settings, found: { cwd } }: Examined): Promise<Outcome> {
	if (!settings.get("lsp.enabled")) return { about: "off (lsp.enabled)", problems: [] };
	const servers = await projectServers({
		files: localMachine().files,
		root: projectRoot(cwd, process.env.HOME) ?? cwd,
		env: process.env,
		servers: settings.get("lsp.servers"),
		signal: AbortSignal.timeout(limits.doctorSearchMs),
	});
	const there = servers.filter(({ command }) => command !== undefined).map(({ name }) => name);
	const missing = servers.filter(
		({ command, files, install }) => !command && install !== "" && files >= limits.doctorLanguageFiles,
	);
	return {
		about:
			there.join(", ") || (servers.length === 0 ? "none is known for the files here" : "none is installed"),
		problems: missing.slice(0, limits.doctorNames).map(({ name, files, languages, install }) => ({
			problem: `${name} is missing, for ${files} files (${languages.slice(0, 3).join(", ")}).`,
			fix: install,
			severity: "warning",
		})),
	};
}
