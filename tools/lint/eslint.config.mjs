// eslint's rules for TypeScript and JavaScript. What prettier and the compiler see is left to them.

import eslint from '@eslint/js';
import typescript from 'typescript-eslint';

export default typescript.config(
  {
    ignores: [
      'tests/**/*.d.ts',
      'build/**',
      'dist/**',
      'site/**',
      'coverage/**',
      'node_modules/**',
      '.toolchain/**',
      '.cache/**',
      'test-results/**',
    ],
  },
  eslint.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [typescript.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-misused-spread': 'off', // code points of a string are what we want from it
      '@typescript-eslint/unbound-method': 'off', // plain objects of functions are taken apart here
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
    },
  },
  {
    files: ['**/*.mjs'],
    rules: { 'no-undef': 'off', 'no-unused-vars': 'off' }, // the compiler checks these files and knows more
  },
  {
    rules: { eqeqeq: 'error', 'no-var': 'error', 'prefer-const': 'error' },
  },
);
