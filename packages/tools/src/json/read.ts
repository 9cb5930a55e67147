/** Reads values out of the JSON of other servers: whatever is missing or of another type is empty, never an error. */

export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		// The caller treats it as an answer without any fields.
		return undefined;
	}
}

/** The value at a path such as `data.children.0.title`. */
export function at(value: unknown, path: string): unknown {
	let current = value;
	for (const key of path.split(".")) {
		if (typeof current !== "object" || current === null || !Object.hasOwn(current, key)) return undefined;
		current = Reflect.get(current, key);
	}
	return current;
}

/** Trimmed; numbers are written out. */
export function textAt(value: unknown, path: string): string {
	const found = at(value, path);
	if (typeof found === "string") return found.trim();
	return typeof found === "number" && Number.isFinite(found) ? String(found) : "";
}

/** The first of these paths that has a text. */
export function firstText(value: unknown, ...paths: readonly string[]): string {
	for (const path of paths) {
		const found = textAt(value, path);
		if (found !== "") return found;
	}
	return "";
}

export function numberAt(value: unknown, path: string): number | undefined {
	const found = at(value, path);
	return typeof found === "number" && Number.isFinite(found) ? found : undefined;
}

export function listAt(value: unknown, path: string): readonly unknown[] {
	const found = at(value, path);
	return Array.isArray(found) ? found : [];
}

/** The texts of a list; other members are left out. */
export function textsAt(value: unknown, path: string): string[] {
	return listAt(value, path).filter((each): each is string => typeof each === "string" && each !== "");
}
