/** Reads the answer of the browser: the redirect address, or the part of it that a user copied. */

export type RedirectAnswer =
	| { kind: "code"; code: string; state?: string }
	| { kind: "error"; error: string; description: string; state?: string }
	| { kind: "nothing" };

export function readQuery(query: URLSearchParams): RedirectAnswer {
	const queryState = query.get("state");
	const state = queryState === null ? {} : { state: queryState };
	const error = query.get("error");
	if (error) return { kind: "error", error, description: query.get("error_description") ?? "", ...state };
	const code = query.get("code");
	return code ? { kind: "code", code, ...state } : { kind: "nothing" };
}

/**
 * The whole address, its query, `code#state` as some pages show it, or the code alone. If the state is part of the
 * address's path, it is read from there.
 */
export function readPasted(text: string, stateInPath: boolean): RedirectAnswer {
	const pasted = text.trim();
	if (pasted === "" || /\s/.test(pasted)) return { kind: "nothing" };
	if (/^https?:\/\//i.test(pasted)) {
		if (!URL.canParse(pasted)) return { kind: "nothing" };
		const { searchParams, pathname } = new URL(pasted);
		const answer = readQuery(searchParams);
		if (!stateInPath || answer.kind === "nothing") return answer;
		return { ...answer, state: pathname.slice(pathname.lastIndexOf("/") + 1) };
	}
	if (/(?:^|[?&])(?:code|error)=/.test(pasted))
		return readQuery(new URLSearchParams(pasted.replace(/^[^?]*\?/, "")));
	const [code = "", state] = pasted.split("#");
	if (code === "") return { kind: "nothing" };
	return { kind: "code", code, ...(state ? { state } : {}) };
}
