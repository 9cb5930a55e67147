/** The model generates an image: the tool is searched for, its key comes from the store, and the file is in the session. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";

import { launch, type Launched } from "../support/launch.ts";

const png =
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

function call(name: string) {
	return { answer: { blocks: [{ toolCall: { name, arguments: { subject: "a red dot" } } }] } };
}

const bodyAt = (tau: Launched, at: number): string => tau.played.requests[at]?.rawBody ?? "";

test("an image is generated with a stored key, also under the name that omp gave the tool, and rules hold", async () => {
	const keys: (string | null)[] = [];
	await using server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		async fetch(request) {
			keys.push(request.headers.get("authorization"));
			return Response.json({ data: [{ b64_json: png }] });
		},
	});
	await using tau = await launch({
		steps: [call("generate_image"), "Done.", call("gemini_image"), "Done.", call("gemini_image"), "Done."],
	});
	const go = ["-p", "go", "--model", "played/played-1"];
	const env = { OPENAI_BASE_URL: `http://127.0.0.1:${server.port}/v1` };
	expect(await tau.run(["login", "openai", "--api-key"], { stdin: "sk-stored-image-key-1\n" })).toMatchObject(
		{
			code: 0,
		},
	);
	await tau.run(go, { env });
	expect(JSON.parse(bodyAt(tau, 0)).tools.map(({ name }: { name: string }) => name)).not.toContain(
		"generate_image",
	);
	const [, path = ""] = /Saved (\S+\.png) \(artifact:\/\/0/.exec(bodyAt(tau, 1)) ?? [];
	expect(readFileSync(path).toString("base64")).toBe(png);

	await tau.run(go, { env });
	expect(bodyAt(tau, 3)).toContain("artifact://0");
	expect(keys).toEqual(["Bearer sk-stored-image-key-1", "Bearer sk-stored-image-key-1"]);

	await Bun.write(`${tau.agentDir}/config.yml`, "permissions:\n  deny: [generate_image]\n");
	await tau.run(go, { env });
	expect(keys).toHaveLength(2);
});
