/** The cookies of a project, kept between its sessions: each project has its own. */
import { isRecord, log } from "@tau/utils";
import type { CDPSession, Protocol } from "puppeteer-core/internal/puppeteer-core-browser.js";

import { limits } from "../limits.ts";
import type { ToolEnv } from "@tau/tools/tool";
import { ProjectFile } from "./project-file.ts";

type CookieParam = Protocol.Network.CookieParam;

export class ProjectCookies {
	readonly #env: Pick<ToolEnv, "settings">;
	readonly #file: ProjectFile;

	constructor(env: Pick<ToolEnv, "env" | "cwd" | "settings">) {
		this.#env = env;
		this.#file = new ProjectFile(env, ".json", limits.cookieFileBytes);
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
			await this.#file.write(kept);
		} catch (error) {
			log.warn("the cookies of the browser were not saved", { reason: String(error) });
		}
	}

	get #areKept(): boolean {
		return this.#env.settings.get("browser.keepCookies");
	}

	async #read(): Promise<CookieParam[]> {
		const list = await this.#file.read();
		return Array.isArray(list) ? list.filter(isCookie).map((cookie) => kindOf(cookie)) : [];
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
