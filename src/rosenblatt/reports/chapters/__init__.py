"""The chapters of the report page: each function returns the values that its template displays."""
