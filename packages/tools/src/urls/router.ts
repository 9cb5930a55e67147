/** Resolves addresses of session resources (`artifact://3`) by handlers that their owners register. */
import { nearest, oneLine } from "@tau/utils";

import type { ToolEnv } from "../tool/env.ts";
import type { ServiceKey } from "../tool/services.ts";
import { artifactUrls } from "./artifact.ts";
import { conflictUrls } from "./conflict.ts";
import { limits } from "./limits.ts";
import { localUrls } from "./local.ts";

/** The target of an address: a file or directory, a text, or the reason why there is no target. */
export type Resource =
	{ ok: true; path: string } | { ok: true; text: string } | { ok: false; reason: string };

export interface UrlHandler {
	/** A short description of the addresses for the model: `the whole of a long output`. */
	readonly about: string;
	/** An example without the scheme: `<id>`. */
	readonly form: string;
	/** `rest` is the part after `scheme://`. */
	resolve(rest: string, env: ToolEnv, signal: AbortSignal): Promise<Resource> | Resource;
}

/** Schemes that Tau knows, and that answer as soon as their part of Tau is in use. */
const promised: ReadonlySet<string> = new Set(["agent", "skill", "memory"]);

export class UrlRouter {
	readonly #handlers = new Map<string, UrlHandler>();

	/** Registers a handler until it is disposed; then the previous handler is active again. */
	register(scheme: string, handler: UrlHandler): Disposable {
		if (!/^[a-z][a-z0-9+.-]*$/.test(scheme)) throw new Error(`"${scheme}" is not a valid scheme name.`);
		const before = this.#handlers.get(scheme);
		this.#handlers.set(scheme, handler);
		return {
			[Symbol.dispose]: () => {
				if (this.#handlers.get(scheme) !== handler) return;
				if (before) this.#handlers.set(scheme, before);
				else this.#handlers.delete(scheme);
			},
		};
	}

	async resolve(url: string, env: ToolEnv, signal: AbortSignal): Promise<Resource> {
		const [, name = "", rest = ""] = /^([^:]*):\/\/(.*)$/s.exec(url) ?? [];
		const scheme = name.toLowerCase();
		const handler = this.#handlers.get(scheme);
		if (handler) return handler.resolve(rest, env, signal);
		return { ok: false, reason: `${this.#unknown(scheme)} ${this.#known()}` };
	}

	#unknown(scheme: string): string {
		const shown = oneLine(scheme, limits.shownChars);
		if (promised.has(scheme)) return `${shown}:// is not available here.`;
		const [near] = nearest(scheme, this.#handlers.keys(), 1);
		return `Unknown scheme ${shown}://.${near === undefined ? "" : ` Did you mean ${near}://?`}`;
	}

	#known(): string {
		const own = [...this.#handlers].map(([scheme, { form, about }]) => `${scheme}://${form} (${about})`);
		return `Known: ${[...own, "http://, https:// (web pages)"].join(", ")}.`;
	}
}

const serviceKey: ServiceKey<UrlRouter> = {
	name: "internal addresses",
	create() {
		const router = new UrlRouter();
		router.register("artifact", artifactUrls);
		router.register("local", localUrls);
		router.register("conflict", conflictUrls);
		return router;
	},
};

export function urlRouter(env: ToolEnv): UrlRouter {
	return env.services.get(serviceKey, env);
}

/** Called by the owner of a scheme, once per session: `registerUrlScheme(env, "skill", skillUrls)`. */
export function registerUrlScheme(env: ToolEnv, scheme: string, handler: UrlHandler): Disposable {
	return urlRouter(env).register(scheme, handler);
}
