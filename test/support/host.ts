/** A `SessionHost` for tests: a played model, its own settings, and no other files. */
import type { CredentialStore, Model } from "@tau/ai";
import { SessionManager } from "@tau/log";
import type { AgentSessionOptions, CompactionSettings } from "@tau/session";
import { SessionHost } from "@tau/session/host";
import { ModelRegistry } from "@tau/config/models";
import { Settings } from "@tau/config/settings";
import { onDispose } from "@tau/utils";

import { silenceLog } from "./session.ts";

export interface TestHostOptions {
	session?: Partial<Pick<AgentSessionOptions, "tools" | "expand" | "behaviors" | "thinking">>;
	compaction?: Partial<CompactionSettings> | undefined;
	/** Whether a failed request is retried; not by default. */
	retries?: number | undefined;
	log?: SessionManager | undefined;
}

export async function testHost(model: Model, options: TestHostOptions = {}): Promise<SessionHost> {
	silenceLog();
	const { session: more = {}, compaction, retries, log = SessionManager.inMemory("/") } = options;
	const settings = await testSettings({ compaction, retries });
	const registry = new ModelRegistry({ path: "", providers: new Map(), problems: [] }, {});
	registry.add(model);
	registry.setRuntimeKey(model, "key-of-the-test");
	return new SessionHost({
		settings,
		// The key is set for the run, so that no store is opened.
		store: {
			onRefused: () => onDispose(() => {}),
			trade: async (_: string, apiKey: string) => ({ apiKey }),
			report: () => {},
		} as unknown as CredentialStore,
		registry,
		model,
		...(more.thinking ? { thinking: more.thinking } : {}),
		log,
		hasOwnKey: true,
		staysOpen: compaction?.afterAnswer ?? true,
		features: () => ({
			systemPrompt: "",
			tools: more.tools ?? [],
			expand: more.expand,
			behaviors: { first: [], middle: more.behaviors ?? [], last: [] },
			owns: { [Symbol.asyncDispose]: async () => {} },
			shell: {
				run: runPlainly,
				cell: () => runPlainly,
				intercept: async () => undefined,
				interceptPython: async () => undefined,
			},
			work: {
				jobs: { background: () => [], awaitedMs: () => undefined, running: () => 0 },
				holdsState: false,
				goal: undefined,
				setGoal() {},
				todos: [],
				setTodos: () => Promise.reject(new Error("There is no todo list.")),
				askAgent: () => Promise.reject(new Error("There are no agents.")),
			},
		}),
		onNotice: () => {},
	});
}

/** The default settings. */
async function testSettings(wanted: Pick<TestHostOptions, "compaction" | "retries">): Promise<Settings> {
	const nowhere = "/dev/null/tau";
	const settings = await Settings.load({ cwd: nowhere, agentDir: nowhere });
	await useTestSettings(settings, wanted);
	return settings;
}

/** Disables compaction and retries for this session unless the test asks for them. */
export async function useTestSettings(
	settings: Settings,
	{ compaction, retries }: Pick<TestHostOptions, "compaction" | "retries">,
): Promise<void> {
	const set = async (path: string, value: unknown): Promise<void> => {
		const outcome = await settings.setUnchecked(path, value, "session");
		if (!outcome.ok) throw new Error(outcome.reason);
	};
	const { retry: _, afterAnswer: __, ...window } = compaction ?? { enabled: false };
	for (const [name, value] of Object.entries(window))
		if (value !== undefined) await set(`compaction.${name}`, value);
	await set("retry.enabled", retries !== undefined);
	if (retries !== undefined) await set("retry.maxRetries", retries);
	await set("retry.baseDelayMs", 0);
}

async function runPlainly(command: string, { signal }: { signal: AbortSignal }) {
	const child = Bun.spawn(["bash", "-c", command], { stdout: "pipe", stderr: "pipe", signal });
	const [output, error, exitCode] = await Promise.all([
		child.stdout.text(),
		child.stderr.text(),
		child.exited,
	]);
	return { output: output + error, exitCode, cancelled: signal.aborted, truncated: false };
}
