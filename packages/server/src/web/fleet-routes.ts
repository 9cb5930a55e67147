/** The tasks of the fleet for a page: what they do and wait for, and what the user sends them. */
import { abortable, dirs, once, UsageError, type Env } from "@tau/utils";
import { Settings } from "@tau/config/settings";
import { HttpError, json, readJson, textIn } from "@tau/web/server";

import type { StartWorker, Tasks } from "../fleet/fleet.ts";
import { isFleetUsed, urlOf } from "../fleet/location.ts";
import type { WaitingTask } from "../fleet/waiting.ts";
import { limits } from "./limits.ts";
import type { Route } from "./routes.ts";

const actions: ReadonlySet<string> = new Set(["answer", "steer", "stop", "retry"]);

export interface WebFleetParts {
	/** Of the user who started the page's server. */
	env(): Env;
	readonly startWorker: StartWorker;
}

/** Opens the store of tasks with the first question for it, if there is one. */
export class WebFleet implements AsyncDisposable {
	readonly #env: () => Env;
	readonly #startWorker: StartWorker;
	readonly #settings = once(async () => {
		const { agent: agentDir, profile, home } = dirs();
		return await Settings.load({ cwd: home, agentDir, profile, home });
	});
	#open: Promise<Tasks> | undefined;

	constructor({ env, startWorker }: WebFleetParts) {
		this.#env = env;
		this.#startWorker = startWorker;
	}

	/** Those that ask something; none where no fleet is used. */
	async waiting(): Promise<WaitingTask[]> {
		const store = await this.#store();
		if (!store) return [];
		const { waitingTasks } = await import("../fleet/waiting.ts");
		return await bounded(waitingTasks(store));
	}

	async list(): Promise<object> {
		const store = await this.#store();
		if (!store) return { isUsed: false, tasks: [], counts: {} };
		const { taskViews } = await import("@tau/fleet");
		const { tasks, counts } = taskViews(await bounded(store.list()), Date.now());
		// A session on another machine cannot be opened here.
		const isLocal = urlOf(await this.#settings(), this.#env()) === undefined;
		return { isUsed: true, isLocal, counts, tasks: tasks.slice(0, limits.listed) };
	}

	async run(action: string, ...operands: readonly string[]): Promise<string> {
		const store = await this.#store();
		if (!store) throw new HttpError(404, "There are no tasks.");
		const { contextOf, taskCommandMs, taskText } = await import("../fleet/fleet.ts");
		const signal = AbortSignal.timeout(taskCommandMs);
		const { home: cwd } = dirs();
		const parts = { store, cwd, signal, env: this.#env(), startWorker: this.#startWorker };
		const context = contextOf(await this.#settings(), parts);
		return await abortable(taskText(context, action, operands), signal);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		const store = await this.#open?.catch(() => undefined);
		this.#open = undefined;
		await store?.[Symbol.asyncDispose]();
	}

	async #store(): Promise<Tasks | undefined> {
		const [settings, env] = [await this.#settings(), this.#env()];
		if (!isFleetUsed(settings, env)) return undefined;
		const { storeOf } = await import("../fleet/fleet.ts");
		this.#open ??= storeOf(settings, env);
		try {
			return await bounded(this.#open);
		} catch (error) {
			this.#open = undefined;
			throw error;
		}
	}
}

/** A store on another machine may not answer, and not refuse either. */
async function bounded<T>(work: Promise<T>): Promise<T> {
	const signal = AbortSignal.timeout(limits.fleetMs);
	return await abortable(work, signal).catch((error: unknown) => {
		if (signal.aborted) throw new UsageError("The store of the fleet's tasks does not answer.");
		throw error;
	});
}

export function fleetRoutes(fleet: WebFleet): Route[] {
	return [
		{ method: "GET", path: "/api/fleet", handle: async () => json(await fleet.list()) },
		{
			method: "POST",
			path: "/api/fleet/stop",
			handle: async () => json({ text: await fleet.run("stop", "all") }),
		},
		{
			method: "POST",
			path: "/api/fleet/:id/:action",
			handle: async ({ request, words: { id = "", action = "" } }) => {
				if (!actions.has(action)) throw new HttpError(404, "There is no such address.");
				const body = await readJson(request);
				const words = body.text === undefined ? [] : [textIn(body, "text", limits.steerChars)];
				return json({ text: await fleet.run(action, id, ...words) });
			},
		},
	];
}
