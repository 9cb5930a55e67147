/** Keys over HTTP, for the holder of the gateway's token: workers of a fleet get one for each task. */
import { failure } from "@tau/ai";
import { servedProtocols } from "@tau/ai/serving";
import { errorText, isRecord } from "@tau/utils";

import { readRights, type Keys } from "../keys/index.ts";
import { failureResponse } from "./failures.ts";

const paths = /^\/v1\/keys(?:\/([a-z0-9]+))?$/;

/** Undefined for any other request. */
export async function answerKeys(
	request: Request,
	pathname: string,
	keys: Keys,
): Promise<Response | undefined> {
	const [path, id] = paths.exec(pathname) ?? [];
	if (path === undefined) return undefined;
	if (request.method === "DELETE" && id !== undefined)
		return (await keys.revoke(id))
			? new Response(null, { status: 204 })
			: refused(`There is no key ${id}`, 404);
	if (request.method !== "POST" || id !== undefined) return undefined;
	try {
		const body: unknown = await request.json();
		if (!isRecord(body)) return refused("The body is not a JSON object", 400);
		const problem = problemOf(body);
		if (problem !== undefined) return refused(problem, 400);
		const texts = Object.entries(body).map(([name, value]) => [name, String(value)] as const);
		const { key, row } = await keys.create(readRights(Object.fromEntries(texts)));
		return Response.json({ key, id: row.id }, { status: 201 });
	} catch (error) {
		return refused(errorText(error), 400);
	}
}

const fields: ReadonlySet<string> = new Set(["name", "models", "budget", "rpm", "tpm", "expires"]);

/** A limit that is not understood must not become a key without it. */
function problemOf(body: Readonly<Record<string, unknown>>): string | undefined {
	for (const [name, value] of Object.entries(body)) {
		if (!fields.has(name)) return `"${name}" is not a field of a key. They are: ${[...fields].join(", ")}.`;
		const isList =
			Array.isArray(value) && name === "models" && value.every((each) => typeof each === "string");
		if (!isList && typeof value !== "string" && typeof value !== "number")
			return `"${name}" is neither a text nor a number.`;
	}
	return undefined;
}

function refused(message: string, status: number): Response {
	return failureResponse(
		{ error: servedProtocols.completions.error },
		failure("invalid_request", message, { status }),
	);
}
