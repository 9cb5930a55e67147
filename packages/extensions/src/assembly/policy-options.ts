/** What the approval policy of a session needs to know of this machine and its user. */
import { join } from "node:path";

import {
	protectedLocations,
	type ApprovalMode,
	type PolicyOptions,
	type RuleFile,
} from "@tau/session/policy";
import { CommandBoundary } from "@tau/session/sandbox";
import type { Settings } from "@tau/config/settings";
import { containerKind } from "@tau/machines/sandbox";
import { dirs, env as readEnv, type Env } from "@tau/utils";

import { Switches } from "@tau/resources/discovery";
import { discoveryPaths } from "@tau/resources/sources";
import { isTrusted } from "../trust/trust.ts";
import type { SessionMachine } from "./session-machine.ts";

export interface PolicyRequest {
	/** Of the command line. */
	mode?: ApprovalMode | undefined;
	/** The environment that locates Tau's own files; by default that of the process. */
	env?: Env | undefined;
	/** By default the sandbox of this machine. */
	boundary?:
		(Pick<CommandBoundary, "current" | "settle"> & Partial<Pick<CommandBoundary, "holdsWrites">>) | undefined;
	/** Another machine: nothing contains commands there, and its paths are not those of this one. */
	remote?: Pick<SessionMachine, "current"> | undefined;
	/** Shows a line, once, about a container that was recognized and therefore counts as the boundary. */
	onContained?: ((line: string) => void) | undefined;
}

export function policyOptions(
	{ mode, env = process.env, boundary: given, remote, onContained }: PolicyRequest,
	settings: Settings,
	isTrustedNow: (() => boolean) | undefined,
): PolicyOptions {
	const own = dirs(env);
	const here = protectedLocations(env);
	const boundary = given ?? new CommandBoundary({ env, settings });
	return {
		mode,
		boundary: () => (remote?.current ? "none" : boundary.current()),
		holdsWrites: () => !remote?.current && (boundary.holdsWrites?.() ?? false),
		settle: async () => {
			if (!remote?.current) await boundary.settle();
		},
		remote: () => {
			const there = remote?.current;
			return there && { machine: there.name, cwd: there.cwd, ...there.judged };
		},
		// Those of a project are about its files, which are not those of the other machine.
		ruleFiles: (cwd) => (remote?.current ? [] : claudeRuleFiles(cwd, env, settings)),
		isTrusted: (cwd) => isTrustedNow?.() ?? isTrusted(cwd, own.agent),
		get places() {
			const there = remote?.current;
			return there ? { home: there.home, own: [], ownSecrets: [], except: [], searchPath: [] } : here;
		},
		grantsDir: join(own.agent, "grants"),
		...(onContained && !given ? { onContained: once(() => containedLine(env, onContained)) } : {}),
	};
}

/** Whoever has named the container knows of it. */
function containedLine(env: Env, show: (line: string) => void): void {
	const name = readEnv("TAU_CONTAINER", env) ? undefined : containerKind(env);
	if (name === undefined) return;
	show(
		`Tau runs in ${name}, which counts as the boundary: commands, network, git push and files outside the project are not asked about. To be asked, use --approval-mode ask; to hide this line, --approval-mode auto.`,
	);
}

function once(work: () => void): () => void {
	let isDone = false;
	return () => {
		if (!isDone) work();
		isDone = true;
	};
}

/** The rules that Claude Code keeps for the user and for the project, unless it is switched off as a source. */
function claudeRuleFiles(cwd: string, env: Env, settings: Pick<Settings, "get">): RuleFile[] {
	const switches = new Switches(settings.get("discovery.disabled"));
	if (switches.disables("permissions", "claude") !== undefined) return [];
	const { directories, home } = discoveryPaths(cwd, env);
	const user = join(home, ".claude");
	return [
		{ path: join(user, "settings.json"), level: "user", root: user },
		...directories.flatMap((directory) =>
			["settings.json", "settings.local.json"].map((name): RuleFile => ({
				path: join(directory, ".claude", name),
				level: "project",
				root: directory,
			})),
		),
	];
}
