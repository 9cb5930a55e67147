/** A key that holds two things: the token of a login, and the project that its requests are counted for. */
import { parseObject, string } from "../../json.ts";

export interface ProjectKey {
	token: string;
	project?: string;
}

/** As pi writes it, because its extensions read it. */
export function joinKey(token: string, projectId: string): string {
	return JSON.stringify({ token, projectId });
}

/** What is no such pair is a token alone. */
export function splitKey(key: string): ProjectKey {
	const pair = key.startsWith("{") ? parseObject(key) : undefined;
	const token = string(pair?.token);
	if (token === "") return { token: key };
	const project = string(pair?.projectId);
	return { token, ...(project === "" ? {} : { project }) };
}
