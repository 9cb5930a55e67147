/** The cookies of a project, kept between its sessions: each project has its own. */
import { createHash } from "node:crypto";
import { join } from "node:path";

import { localMachine } from "@tau/sys";
import { dirs, isRecord, log, privateDirectory } from "@tau/utils";
import type { CDPSession, Protocol } from "puppeteer-core/internal/puppeteer-core-browser.js";

import { limits } from "../limits.ts";
import type { ToolEnv } from "../../tool/env.ts";

type CookieParam = Protocol.Network.CookieParam;

export class ProjectCookies {
	readonly #env: Pick<ToolEnv, "env" | "cwd" | "settings">;

	constructor(env: Pick<ToolEnv, "env" | "cwd" | "settings">) {
		this.#env = env;
	}

	/** Puts the saved ones into a browser that has just started. */
	async restore(session: CDPSession): Promise<void> {
		if (!this.#areKept) return;
		const cookies = await this.#read();
		if (cookies.length === 0) return;
		// One that the browser does not take must not cost the others.
		await session.send("Storage.setCookies", { cookies }).catch(() => {});
	}

	async save(session: CDPSession): Promise<void> {
		if (!this.#areKept) return;
		try {
			const { cookies } = await session.send("Storage.getCookies");
			const known = await this.#read();
			if (cookies.length === 0 && known.length === 0) return;
			const kept = cookies.slice(-limits.cookies).map((cookie) => kindOf(cookie));
			await this.#write(JSON.stringify(kept));
		} catch (error) {
			log.warn("the cookies of the browser were not saved", { reason: String(error) });
		}
	}

	get #areKept(): boolean {
		return this.#env.settings.get("browser.keepCookies");
	}

	get #file(): string {
		const project = createHash("sha256").update(this.#env.cwd).digest("hex").slice(0, 16);
		return join(dirs(this.#env.env).state, "browser", `${project}.json`);
	}

	async #read(): Promise<CookieParam[]> {
		try {
			const { files } = localMachine();
			const bytes = await files.read(this.#file, {
				signal: AbortSignal.timeout(limits.closeMs),
				maxBytes: limits.cookieFileBytes,
			});
			const list: unknown = JSON.parse(new TextDecoder().decode(bytes));
			return Array.isArray(list) ? list.filter(isCookie).map((cookie) => kindOf(cookie)) : [];
		} catch {
			// There is none yet, or it cannot be used: then there are no cookies.
			return [];
		}
	}

	async #write(text: string): Promise<void> {
		const path = this.#file;
		privateDirectory(join(path, ".."));
		const { files } = localMachine();
		const before = await files.readText(path, path);
		if (!before.ok) throw new Error(before.reason);
		const after = { text, hasBom: false, mode: 0o600 };
		await files.commit([{ before, after }], { signal: AbortSignal.timeout(limits.closeMs) });
	}
}

function isCookie(value: unknown): value is CookieParam {
	return isRecord(value) && typeof value.name === "string" && typeof value.value === "string";
}

/** What a cookie is set with; -1 means that it ends with the session. */
function kindOf(cookie: CookieParam): CookieParam {
	const { name, value, domain, path, secure, httpOnly, sameSite, expires } = cookie;
	return {
		name,
		value,
		...(domain === undefined ? {} : { domain }),
		...(path === undefined ? {} : { path }),
		...(secure === undefined ? {} : { secure }),
		...(httpOnly === undefined ? {} : { httpOnly }),
		...(sameSite === undefined ? {} : { sameSite }),
		...(expires === undefined || expires < 0 ? {} : { expires }),
	};
}
