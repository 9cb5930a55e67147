/** A program that exchanges links of a project until it is killed: `project forbidden…`. */
import { existsSync, renameSync, rmSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";

const [project = "", ...forbidden] = process.argv.slice(2);
const at = (name: string): string => join(project, name);
// The parent has gone when its end of the pipe is closed.
process.stdin.on("end", () => process.exit(0)).resume();
process.stdout.write("begun\n");

let old = 0;

function pointTo(target: string): void {
	rmSync(at("link.next"), { force: true });
	symlinkSync(target, at("link.next"));
	renameSync(at("link.next"), at("link"));
}

function exchange(target: string): void {
	if (!existsSync(at("moved.aside"))) renameSync(at("moved"), at("moved.aside"));
	symlinkSync(target, at("moved"));
	unlinkSync(at("moved"));
	renameSync(at("moved.aside"), at("moved"));
}

function turn(): void {
	for (let round = 0; round < 200; round++) {
		const target = forbidden[round % forbidden.length] ?? "";
		pointTo(target);
		try {
			exchange(target);
		} catch {
			// A call has created the directory meanwhile: it is used from now on.
			renameSync(at("moved.aside"), at(`moved.old-${old++}`));
		}
		pointTo("real");
	}
	setImmediate(turn);
}

turn();
