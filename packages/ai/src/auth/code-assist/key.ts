/** A key with two parts: the token of a login, and the project that its requests are billed to. */
import { parseObject, string } from "../../json.ts";

export interface ProjectKey {
	token: string;
	project?: string;
}

/** In pi's format, because its extensions read it. */
export function joinKey(token: string, projectId: string): string {
	return JSON.stringify({ token, projectId });
}

/** Any other key is a token alone. */
export function splitKey(key: string): ProjectKey {
	const pair = key.startsWith("{") ? parseObject(key) : undefined;
	const token = string(pair?.token);
	if (token === "") return { token: key };
	const project = string(pair?.projectId);
	return { token, ...(project === "" ? {} : { project }) };
}
