/** What the application contributes to this package; an import would go against the arrows between packages. */
import type { VirtualModules } from "@tau/extensions/support";
import type { FallbackModel } from "@tau/config/models";

type Exports = Readonly<Record<string, unknown>>;

export interface Application {
	/** What `import "@tau/coding-agent"` gives where no such package is on disk. */
	publicApi(): Promise<Exports>;
	/** Exports of pi's main package that only the application has. */
	piExports(): Promise<Exports>;
	/** The model that answers when no other is available. */
	fallbackModel: FallbackModel;
}

let application: Application | undefined;

/** Called by the application before it loads extensions. */
export function setApplication(value: Application): void {
	application = value;
}

export function currentApplication(): Application | undefined {
	return application;
}

let modules: VirtualModules | undefined;

/** Called when the packages of pi and omp were made importable. */
export function setModules(value: VirtualModules): void {
	modules = value;
}

/** What extensions that this package loads can import. */
export function currentModules(): VirtualModules | undefined {
	return modules;
}
