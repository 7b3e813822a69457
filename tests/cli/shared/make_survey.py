"""Writes a survey of 3000 invented persons, with missing values, as CSV."""
import random

generator = random.Random(5)
print("id,age,town,note,bought")
for i in range(3000):
    age = "" if i % 11 == 0 else generator.randint(17, 89)
    rare = f"Village{i}"
    town = "NA" if i % 13 == 0 else rare if i % 50 == 0 else generator.choice(["Bern", "Basel"])
    note = generator.choice(["likes long walks by the river", "comes with two small children"])
    print(f"p{i},{age},{town},{note},{generator.choice(['yes', 'no'])}")
