/** An approval policy for tests: its own home, project and settings, and calls as the built-in tools describe them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { AgentTool, FrozenCall, Touch, Verdict } from "@tau/agent";
import { UserRequests, type UserRequestOf } from "@tau/session/host";
import { Policy, type ApprovalMode, type Boundary, type RuleFile } from "@tau/session/policy";
import { Settings } from "@tau/config/settings";

const places = { base: "", home: "", project: "" };

/** Creates the directories of a test below `base`. */
export function useDirectories(base: string): { home: string; project: string } {
	Object.assign(places, { base, home: join(base, "home"), project: join(base, "project") });
	for (const directory of [places.home, places.project, join(base, "agent")]) mkdirSync(directory);
	return places;
}

export interface Setup {
	/** The directories of PATH. */
	searchPath?: readonly string[];
	mode?: ApprovalMode;
	boundary?: Boundary;
	/** The sandbox of plan mode lets nothing be written. */
	holdsWrites?: boolean;
	/** The text of the user's and of the project's config.yml. */
	user?: string;
	ofProject?: string;
	ruleFiles?: readonly RuleFile[];
	isTrusted?: boolean;
	prompts?: readonly string[];
	agent?: string;
	parent?: Policy;
	sessionId?: () => string;
	/** Another machine, with links there and where they lead. */
	remote?: { machine: string; links?: Readonly<Record<string, string>>; bare?: string };
}

export interface Fixture {
	policy: Policy;
	requests: UserRequests;
	settings: Settings;
	notices: string[];
	/** Judges a call that ends at once: `allow`, `ask`, or why it does not run. With a client, it is shown and answered by `answer`. */
	judge(call: FrozenCall): Promise<string>;
}

export async function fixture(setup: Setup = {}): Promise<Fixture> {
	const { mode, boundary = "none", user, ofProject, sessionId = () => "session-1" } = setup;
	const agentDir = join(places.base, "agent");
	writeFileSync(join(agentDir, "config.yml"), user ?? "");
	mkdirSync(join(places.project, ".tau"), { recursive: true });
	writeFileSync(join(places.project, ".tau/config.yml"), ofProject ?? "");
	const settings = await Settings.load({ cwd: places.project, agentDir });
	const requests = new UserRequests();
	const notices: string[] = [];
	const { remote } = setup;
	const policy = new Policy({
		options: {
			mode,
			remote: () =>
				remote && {
					machine: remote.machine,
					cwd: places.project,
					realPaths: async (paths) => paths.map((path) => remote.links?.[path] ?? path),
					bareRepository: async (directories) => directories.find((each) => each === remote.bare),
				},
			boundary: () => boundary,
			holdsWrites: () => setup.holdsWrites === true,
			ruleFiles: () => setup.ruleFiles ?? [],
			isTrusted: () => setup.isTrusted === true,
			places: {
				home: places.home,
				own: [join(places.home, ".tau")],
				ownSecrets: [join(places.home, ".tau/agent/agent.db")],
				except: [],
				searchPath: setup.searchPath ?? [],
			},
			grantsDir: join(agentDir, "grants"),
		},
		settings,
		requests,
		cwd: () => places.project,
		sessionId,
		prompts: () => setup.prompts ?? [],
		emit: async () => {},
		notice: (message) => notices.push(message),
		agent: setup.agent ?? "main",
		parent: setup.parent,
	});
	const judge = async (call: FrozenCall): Promise<string> => {
		const verdict: Verdict | undefined = await policy.judge(call, new AbortController().signal);
		if (verdict?.allow === true) verdict.within?.ended?.();
		return verdict?.allow === false ? verdict.reason : "allow";
	};
	return { policy, requests, settings, notices, judge };
}

/** A client that answers with the choice of this id; returns what it was shown. */
export function answering(
	{ requests }: Fixture,
	choice: string | undefined,
	message?: string,
): UserRequestOf<"approval">[] {
	const shown: UserRequestOf<"approval">[] = [];
	requests.connect({
		kinds: new Set(["approval"]),
		open(request) {
			if (request.kind !== "approval") return;
			shown.push(request);
			const answer =
				choice === undefined ? undefined : { choice, ...(message === undefined ? {} : { message }) };
			requests.answer(request.id, answer);
		},
	});
	return shown;
}

export function callOf(
	tool: Partial<AgentTool>,
	touches: readonly Touch[],
	more: Partial<FrozenCall> = {},
): FrozenCall {
	const full = { name: "tool", approval: "exec", touches: () => touches, ...tool } as AgentTool;
	return {
		id: "call-1",
		name: full.name,
		tool: full,
		arguments: {},
		touches,
		rewrittenBy: [],
		changedSince: false,
		...more,
	};
}

export const bash = (command: string, more?: Partial<FrozenCall>): FrozenCall =>
	callOf({ name: "bash" }, [{ kind: "exec", command, cwd: places.project }], more);
export const write = (path: string): FrozenCall =>
	callOf({ name: "write", approval: "write" }, [
		{ kind: "write", path: path.startsWith("/") ? path : join(places.project, path) },
	]);
export const read = (path: string, tree?: true): FrozenCall =>
	callOf({ name: "read", approval: "read" }, [
		{
			kind: "read",
			path: path.startsWith("/") ? path : join(places.project, path),
			...(tree ? { tree } : {}),
		},
	]);
export const fetchUrl = (url: string): FrozenCall =>
	callOf({ name: "read", approval: "read" }, [{ kind: "fetch", url }]);
export const plainTool = (approval: AgentTool["approval"], isUndeclared = false): FrozenCall => {
	const { touches: _, ...tool } = callOf({ name: "deploy", approval, isUndeclared }, []).tool;
	return { ...callOf({}, []), name: "deploy", tool };
};

/** `allow`: runs unasked. `ask`: asked. `refuse`: does not run, without a question. */
export async function outcomeOf(setup: Setup, call: FrozenCall): Promise<string> {
	const made = await fixture(setup);
	const shown = answering(made, "once");
	const result = await made.judge(call);
	if (shown.length > 0) return "ask";
	return result === "allow" ? "allow" : "refuse";
}
