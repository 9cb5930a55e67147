/** Classifies a path in the repository: product code, a test, a tool, or none of these. */

const code = /\.(?:[cm]?ts|tsx|[cm]?js|jsx)$/;
const test = /\.test\.tsx?$/;
const workbench = /^(?:test|bench|scripts|packages\/[^/]+\/examples)\//;

export function isCode(path: string): boolean {
	return code.test(path) && !isAside(path);
}

/** Code that users run: in a package's src, and neither a test nor a test helper. */
export function isProduct(path: string): boolean {
	return isCode(path) && /^packages\/[^/]+\/src\//.test(path) && !isTest(path) && !isTestingCode(path);
}

export function isTest(path: string): boolean {
	return test.test(path);
}

/** Code that may import any package: tests, benchmarks, scripts, and the examples of a package. */
export function isWorkbench(path: string): boolean {
	return workbench.test(path) || isTest(path);
}

/** Test helpers, in a folder `testing` anywhere below a package's src. */
export function isTestingCode(path: string): boolean {
	return /^packages\/[^/]+\/src\/(?:.+\/)?testing\//.test(path);
}

/** Generated files, data and fixtures are machine-written or wrong on purpose. */
export function isAside(path: string): boolean {
	return /\.generated\.|(?:^|\/)(?:data|fixtures)\//.test(path);
}
