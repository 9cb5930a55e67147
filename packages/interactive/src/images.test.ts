/** Images are added to a prompt by pasting them or the path of their file. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Images, imagesIn } from "./images.ts";

/** One pixel. */
const png =
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let home = "";
beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "tau-images-"));
	writeFileSync(join(home, "a picture.png"), Buffer.from(png, "base64"));
	writeFileSync(join(home, "fake.png"), "no image at all");
	writeFileSync(join(home, "notes.txt"), "text");
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

test("a path as terminals paste it becomes an image", async () => {
	const images = new Images(home);
	const path = join(home, "a picture.png");
	for (const pasted of [
		`'${path}'`,
		path.replaceAll(" ", "\\ "),
		`file://${encodeURI(path)}`,
		"a picture.png",
	]) {
		const marker = images.fromPastedPath(pasted);
		expect(marker?.label).toBe("a picture.png");
		const { images: sent } = await imagesIn(marker ? [marker] : []);
		expect(sent).toEqual([{ type: "image", mimeType: "image/png", data: png }]);
	}
});

test("other text stays text", () => {
	const images = new Images(home);
	for (const pasted of ["notes.txt", "gone.png", "look at a.png", "line\nbreak.png", "", "file://%ZZ.png"]) {
		expect(images.fromPastedPath(pasted)).toBeUndefined();
	}
});

test("a file that is not an image is reported when it is sent", async () => {
	const marker = new Images(home).fromPastedPath("fake.png");
	const { images, problems } = await imagesIn(marker ? [marker, { label: "paste", expansion: "x" }] : []);
	expect(images).toEqual([]);
	expect(problems).toHaveLength(1);
	expect(problems[0]).toStartWith("fake.png: ");
});
