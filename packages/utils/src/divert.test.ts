/** Output of other code never reaches the screen or a protocol on the same stream. */
import { expect, test } from "bun:test";
import { PassThrough } from "node:stream";

import { divertWrites, ownWrite } from "./divert.ts";

test("writes of other code are diverted, the owner's writes arrive, and disposal restores the stream", async () => {
	const stream = new PassThrough();
	const caught: string[] = [];
	const before = ownWrite(stream);
	{
		using _ = divertWrites(stream, (text) => caught.push(text));
		const written = Promise.withResolvers<void>();
		stream.write("theirs", "utf8", () => written.resolve());
		await written.promise;
		stream.write(Buffer.from(" bytes"));
		ownWrite(stream)("ours ");
		before("not ours, made before\n");
	}
	stream.write("later");
	stream.end();
	expect(await stream.toArray().then((parts) => parts.join(""))).toBe("ours later");
	expect(caught.join("")).toBe("theirs bytesnot ours, made before\n");
});
