/** Files where the session works, as far as the user may see them: pictures in answers, and what is opened beside them. */
import type { SessionClient } from "@tau/wire";

import { limits } from "../limits.ts";

const pictureTypes: Readonly<Record<string, string>> = {
	png: "image/png",
	jpg: "image/jpeg",
	jpeg: "image/jpeg",
	gif: "image/gif",
	webp: "image/webp",
	avif: "image/avif",
	bmp: "image/bmp",
};

/** By the ending of a file; undefined for what is no picture. Drawings (SVG) are documents. */
export function pictureTypeOf(path: string): string | undefined {
	const ending = path.toLowerCase().split(".").at(-1) ?? "";
	return Object.hasOwn(pictureTypes, ending) ? pictureTypes[ending] : undefined;
}

export class SessionFiles {
	readonly #client: Pick<SessionClient, "request">;
	/** Addresses by paths: rows are made again whenever they come back into view. */
	readonly #pictures = new Map<string, Promise<string | undefined>>();

	constructor(client: Pick<SessionClient, "request">) {
		this.#client = client;
	}

	/** In Base64. Rejects with the reason: there is no such file, or it is none that the session works on. */
	async data(path: string): Promise<string> {
		return (await this.#client.request("get_file", { path })).data;
	}

	/** The address of a picture. Never rejects. */
	picture(path: string): Promise<string | undefined> {
		const known = this.#pictures.get(path);
		if (known) return known;
		const address = this.#pictureAt(path);
		this.#pictures.set(path, address);
		const [oldest] = this.#pictures.keys();
		if (this.#pictures.size > limits.pictures && oldest !== undefined) this.#pictures.delete(oldest);
		return address;
	}

	/** A call may have written any of them. */
	changed(): void {
		this.#pictures.clear();
	}

	async #pictureAt(path: string): Promise<string | undefined> {
		// A drawing in an image element runs no scripts and loads nothing.
		const type = pictureTypeOf(path) ?? (/\.svg$/i.test(path) ? "image/svg+xml" : undefined);
		if (type === undefined) return undefined;
		try {
			return `data:${type};base64,${await this.data(path)}`;
		} catch {
			// There is no such file, or the connection is lost: its name is shown.
			return undefined;
		}
	}
}
