/** Reads the small files that others keep credentials in. */
import { Unusable } from "./unusable.ts";
import { limits } from "./limits.ts";

/** Absent where there is no such file; a file that cannot be read is told. */
export async function readBounded(path: string): Promise<string | undefined> {
	try {
		const file = Bun.file(path);
		if (file.size > limits.fileBytes) throw new Unusable(`${path} is larger than ${limits.fileBytes} bytes`);
		return await file.text();
	} catch (error) {
		if (error instanceof Unusable) throw error;
		const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
		if (code === "ENOENT" || code === "ENOTDIR") return undefined;
		throw new Unusable(`Cannot read ${path}: ${code}`);
	}
}
