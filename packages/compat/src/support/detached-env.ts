/** Environments for built-in tools that an extension makes for itself, with or without a session. */
import { resolve } from "node:path";
import type { Model } from "@tau/ai";
import { currentScope, perScope } from "@tau/extensions/support";
import { localMachine, withObserver, type Machine } from "@tau/sys";
import { expandHome, withoutDotenv } from "@tau/utils";
import { ArtifactDirectory, TemporaryDirectory } from "@tau/session/artifacts";
import { ChangeJournal } from "@tau/log/journal";
import { schema, type SettingPath, type Settings } from "@tau/config/settings";
import { type ToolEnv, SessionServices, type ServiceKey } from "@tau/tools/tool";

const temporary: ServiceKey<TemporaryDirectory> = {
	name: "directory for temporary files",
	create: () => new TemporaryDirectory(),
};

/** Settings have their defaults. */
const defaults = { get: (path: SettingPath) => schema[path].default } as Pick<Settings, "get">;

/** No tool asks what the model is called; some ask what it can read. */
const anyModel: Model = {
	id: "",
	name: "",
	api: "",
	provider: "",
	baseUrl: "",
	reasoning: false,
	input: ["text", "image"],
	cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
	contextWindow: 0,
	maxTokens: 0,
};

/** Of this machine: tools of one session share a shell and what they have read there. */
const servicesByDirectory = perScope(() => new Map<string, SessionServices>());

/** What such tools have changed on this machine. */
const journals = perScope(() => new ChangeJournal());

export function detachedEnv(cwd: string, machine?: Machine): ToolEnv {
	const journal = machine ? new ChangeJournal() : journals();
	const env: ToolEnv = {
		cwd,
		machine: withObserver(machine ?? localMachine(), journal),
		journal,
		env: withoutDotenv(),
		resolve: (path) => resolve(cwd, expandHome(path)),
		settings: defaults,
		readsPlainText: true,
		isTrusted: () => false,
		mayRunProject: () => true,
		artifacts: new ArtifactDirectory(() => env.services.get(temporary, env).path),
		get services() {
			if (!own || own.isClosed) own = machine ? newServices() : sharedServices(cwd);
			return own;
		},
		session: {
			model: anyModel,
			messages: [],
			history: () => [],
			hasTool: () => false,
			emit: async () => {},
			deliver: () => {},
		},
	};
	// Most tools that are made are never called.
	let own: SessionServices | undefined;
	return env;
}

function sharedServices(cwd: string): SessionServices {
	const known = servicesByDirectory();
	const there = known.get(cwd);
	if (there && !there.isClosed) return there;
	const made = newServices();
	known.set(cwd, made);
	return made;
}

function newServices(): SessionServices {
	const services = new SessionServices();
	currentScope().own(services);
	return services;
}
