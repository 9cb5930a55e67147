/** A rewind restores nothing through a link that another process puts in its way, and keeps nothing from behind it. */
import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { samples } from "../../../../test/support/depth.ts";
import { secret, swapLinks } from "../../../../test/support/swapped-links.ts";
import { hashOf, readImage, type Image } from "./image.ts";
import { ImageStore, packed } from "./image-store.ts";
import { restoreFiles, type WantedImage } from "./restore-files.ts";

const rounds = samples(10_000, 300);

test("while links are exchanged, files, links and directories are restored only where they were", async () => {
	const base = realpathSync(mkdtempSync(join(tmpdir(), "tau-restore-")));
	try {
		const root = join(base, "project");
		mkdirSync(root);
		await using swapped = await swapLinks(root, join(base, "outside"));
		const store = new ImageStore(() => join(base, "images"));
		const content = Buffer.from("restored\n");
		const hash = hashOf(content);
		store.put(hash, () => packed(content));
		const file: Image = { kind: "file", mode: 0o600, size: content.length, hash };
		const wants: Image[] = [
			file,
			{ kind: "link", target: "x" },
			{ kind: "directory", mode: 0o755 },
			{ kind: "absent" },
		];
		let restored = 0;
		for (let round = 0; round < rounds; round++) {
			const names = ["config", `new-${round % 9}`, `a${round % 5}/b/c`];
			const path = join(root, ["moved", "link"][round % 2] ?? "", names[round % 3] ?? "");
			const { image: now, content: seen } = readImage(path);
			expect(seen?.includes(secret) ?? false).toBe(false);
			const want = wants[round % wants.length] ?? file;
			const wanted: WantedImage[] = [{ path, now, want }];
			const failures = await restoreFiles(wanted, store, root);
			if (failures.length === 0) restored++;
		}
		expect(swapped.damage()).toEqual([]);
		expect(restored).toBeGreaterThan(0);
	} finally {
		rmSync(base, { recursive: true, force: true });
	}
});
