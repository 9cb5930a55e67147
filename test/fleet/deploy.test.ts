/** The files for containers, a cluster and GitHub: they agree with each other, with the program, and with a release. */
import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { mainPackage } from "../../scripts/release/npm.ts";
import { launch } from "../support/launch.ts";

const root = join(import.meta.dir, "../..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");

interface Compose {
	services: Record<string, { image: string; command: string[]; environment?: Record<string, string> }>;
}
interface Job {
	spec: { template: { spec: { containers: { image: string; args: string[]; securityContext: object }[] } } };
}
interface Workflow {
	jobs: { worker: { steps: { run?: string; env?: Record<string, string> }[] } };
}

test("the files start workers of one image and of the package of a release, with flags and variables that exist", async () => {
	const { services } = Bun.YAML.parse(read("deploy/compose.fleet.yml")) as Compose;
	expect(Object.keys(services)).toEqual(["valkey", "worker-1", "worker-2"]);
	expect(services["worker-2"]).toEqual(services["worker-1"] as Compose["services"][string]);
	const [container] = (Bun.YAML.parse(read("deploy/k8s/job.yml")) as Job).spec.template.spec.containers;
	await using tau = await launch({ steps: [] });
	const image = (await tau.run(["config", "get", "fleet.image"])).out.trim();
	expect(services["worker-1"]?.image).toBe(`\${TAU_IMAGE:-${image}}`);
	expect(container).toMatchObject({ image, securityContext: { runAsNonRoot: true, runAsUser: 1000 } });
	const dockerfile = read("deploy/worker/Dockerfile");
	expect(dockerfile).toContain(`docker build -t ${image} deploy/worker`);
	// What the others give are arguments of it, and the user is theirs.
	expect(dockerfile).toContain('ENTRYPOINT ["tau"]');
	expect(dockerfile).toContain("useradd --uid 1000 ");
	const { steps } = (Bun.YAML.parse(read("deploy/github/tau-worker.yml")) as Workflow).jobs.worker;
	const runs = steps.flatMap(({ run }) => run ?? []);
	const folder = mkdtempSync(join(tmpdir(), "tau-fleet-deploy-"));
	try {
		const repository = { type: "git", url: "https://example.com/tau" };
		await mainPackage(folder, [], { version: "1.2.3", license: "MIT", repository });
		const { name, bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
		expect(runs[0]).toBe(`npm install --global --ignore-scripts ${name}`);
		expect(runs[1]).toStartWith(`${Object.keys(bin)[0]} worker `);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
	const commands = [services["worker-1"]?.command ?? [], container?.args ?? [], runs[1]?.split(" ") ?? []];
	const { out: help } = await tau.run(["worker", "--help"]);
	for (const flag of commands.flat().filter((word) => word.startsWith("--"))) expect(help).toContain(flag);
	const page = read("docs/fleet-workers.md");
	const { SLOTS: slots, ...ofTau } = steps.at(-1)?.env ?? {};
	expect(slots).toContain("inputs.workers");
	// The clone of a worker is its own: what a checkout knows would be of no use to it.
	expect(ofTau.TAU_FLEET_GIT_TOKEN).toBe("github.com=${{ github.token }}");
	const named = [services["worker-1"]?.environment ?? {}, ofTau].flatMap(Object.keys);
	expect(named).toHaveLength(7);
	for (const variable of named) expect(page).toContain(`\`${variable}\``);
});
