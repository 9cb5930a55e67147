/** The environment of a session's tools: where they work, what they may ask for, and what the application provides to them. */
import { resolve } from "node:path";

import { chosenForRole } from "@tau/config/models";
import { privateTargets, sshHosts } from "@tau/integrations/builtin";
import { artifactsDir, type SessionManager } from "@tau/log";
import type { ChangeJournal } from "@tau/log/journal";
import {
	ArtifactDirectory,
	sharedArtifacts,
	TemporaryDirectory,
	type ArtifactStore,
} from "@tau/session/artifacts";
import type { RunContext, UserRequests } from "@tau/session/host";
import { callTool, type ToolCaller } from "@tau/session/run";
import { SessionSandbox, type SandboxPolicy } from "@tau/session/sandbox";
import { withFallback, withHiddenFiles, withObserver, type FileFallbacks } from "@tau/sys";
import { userAgents } from "@tau/tools/task";
import {
	keysOfServices,
	planMode,
	SessionServices,
	userQuestions,
	userTerminals,
	type AskUser,
	type ServiceKey,
	type ToolEnv,
} from "@tau/tools/tool";
import { expandHome } from "@tau/utils";

import type { SessionParts } from "./open-session.ts";
import { planControl } from "./plan-mode.ts";
import { serviceKeys } from "./service-keys.ts";
import { sessionMachine } from "./session-machine.ts";

export function toolEnvOf(
	parts: SessionParts,
	context: RunContext,
	fallbacks: FileFallbacks,
	journal: ChangeJournal,
	top: ToolEnv | undefined,
): ToolEnv {
	const { cwd, log, requests } = context;
	const services = new SessionServices();
	const sandbox = sandboxOf(parts, context);
	if (context.host.policy && !parts.machine) context.host.policy.isTemporary = sandbox.isTemporary;
	const isHidden = (path: string): boolean => context.host.policy?.isHidden(path) ?? false;
	const machine = withHiddenFiles(parts.machine ?? sessionMachine(parts, sandbox, cwd), isHidden);
	const env: ToolEnv = {
		cwd,
		machine: withFallback(withObserver(machine, journal), fallbacks),
		sandbox: parts.machine ? undefined : sandbox,
		journal,
		env: parts.registry.withoutKeys(parts.env),
		resolve: (path: string) => resolve(cwd, expandHome(path, parts.remote?.current?.home)),
		settings: parts.settings,
		artifacts: artifactsOf(top, log, () => services.get(temporary, env).path),
		services,
		sessions: context.host.children,
		isTrusted: () => parts.resources?.isTrusted() ?? false,
		mayRunProject: () => (parts.resources?.isTrusted() ?? true) || context.host.policy?.boundary !== "none",
		session: {
			get model() {
				return context.session().model;
			},
			get messages() {
				return context.session().state.messages;
			},
			get isUnread() {
				return context.session().unreadPast !== undefined;
			},
			leafId: () => log.getLeafId(),
			get describesImages() {
				return chosenForRole("vision", parts.registry) !== undefined;
			},
			history: (holding) => log.branchMessages(holding),
			staysOpen: parts.staysOpen,
			callableTools: () => context.session().state.tools,
			callTool: (call) => callTool(callerOf(context), call),
			hasTool: (name) => context.session().state.tools.some((tool) => tool.name === name),
			emit: (event) => context.session().emit(event),
			deliver: (text, options) => {
				// The end of a job of a session that was left is not for the session that took its place.
				if (context.host.session === context.session()) void context.host.deliver({ text, ...options });
			},
		},
	};
	services.provide(
		privateTargets,
		async (...request) => (await context.host.policy?.requestPrivate(...request)) ?? false,
	);
	services.provide(sshHosts, parts.remote);
	services.provide(keysOfServices, serviceKeys(parts, log.getSessionId()));
	// Decided at each call: a client may have connected or gone since.
	services.provide(userQuestions, () => (requests.canAsk("questions") ? askThrough(requests) : undefined));
	services.provide(planMode, planControl(context));
	// Agents work beside the user, whose keys are for the session.
	if (!top) services.provide(userTerminals, () => requests.terminals);
	services.provide(userAgents, () => parts.resources?.agents.map(({ type }) => type) ?? []);
	// They end with the session, as the tools do.
	services.get({ name: "sandbox", create: () => sandbox }, env);
	services.get({ name: "change journal", create: () => journal }, env);
	return env;
}

function sandboxOf({ policy, settings, tree, hooks }: SessionParts, context: RunContext): SessionSandbox {
	const { cwd } = context;
	return new SessionSandbox({
		cwd,
		env: policy?.env ?? process.env,
		settings,
		tree,
		policy: sandboxPolicy(context),
		startedOutside: () => hooks?.scripts(cwd) ?? [],
	});
}

/** The session's policy, which may come later than its tools. */
function sandboxPolicy({ host, requests }: RunContext): SandboxPolicy {
	return {
		mode: () => host.policy?.mode,
		canAsk: () => requests.canAsk("approval"),
		requestHost: async (...request) => (await host.policy?.requestHost(...request)) ?? false,
		requestOutside: async (...request) => (await host.policy?.requestOutside(...request)) ?? false,
		requestPort: async (...request) => (await host.policy?.requestPort(...request)) ?? false,
		requestLocal: async (...request) => (await host.policy?.requestLocal(...request)) ?? false,
		localPorts: async () => (await host.policy?.localPorts()) ?? [],
	};
}

function askThrough(requests: UserRequests): AskUser {
	return async (questions, signal) => (await requests.ask("questions", { questions }, { signal }))?.answers;
}

/** A tool that calls tools has those that the model has, with the gates of the session. */
function callerOf({ session }: RunContext): ToolCaller {
	const current = session();
	return {
		gates: () => current.toolGates(),
		callable: () => current.state.tools,
		emit: (event) => current.emit(event),
	};
}

/** An agent shares those of the session at the top. */
function artifactsOf(top: ToolEnv | undefined, log: SessionManager, unstored: () => string): ArtifactStore {
	const own = new ArtifactDirectory(() => {
		const file = log.getSessionFile();
		return file ? artifactsDir(file) : unstored();
	});
	return top ? sharedArtifacts(top.artifacts, own) : own;
}

/** If the session is not stored, long outputs go to a temporary directory that is deleted with it. */
const temporary: ServiceKey<TemporaryDirectory> = {
	name: "directory for temporary files",
	create: () => new TemporaryDirectory(),
};
